// SPDX-License-Identifier: Apache-2.0
// The check of an answer: the derivative of the trigonometric interpolant at sampled places, a sum
// over the line without any transform (L. N. Trefethen, Spectral Methods in MATLAB, chapter 3).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/fft_truth.hpp"

namespace portcost::fft_derivative {

namespace {

// Element m: the interpolant's slope at a place if the number m places before is 1, all others 0.
std::vector<double> slopes(std::int64_t n) {
  std::vector<double> result{0};
  for (std::int64_t m = 1; m < n; ++m) {
    const double near = static_cast<double>(std::min(m, n - m));  // sin and tan lose digits near pi
    const double angle = std::numbers::pi * near / static_cast<double>(n);
    double size = std::numbers::pi / (n % 2 == 0 ? std::tan(angle) : std::sin(angle));
    if (n % 2 == 0 && 2 * m > n) size = -size;
    result.push_back(m % 2 == 0 ? size : -size);
  }
  return result;
}

template <class T>
std::string fault_of(const Problem& p, bool transforms, const std::vector<std::uint64_t>& at,
                     const Array& array, const Stream& stream) {
  const auto n = static_cast<std::uint64_t>(p.size.at("n"));
  // The answer's root mean square is at most pi n / 6; pi n is six times as much.
  const double allowed = fft::allowed_error(p.type, static_cast<double>(n)) * std::numbers::pi *
                         static_cast<double>(n);
  const auto value = [&](std::uint64_t i) { return static_cast<double>(element<T>(p.seed, i)); };
  const std::vector<double> weights = slopes(static_cast<std::int64_t>(n));
  return fft::far_element<T>(array, at, allowed, stream, [&](std::uint64_t i) {
    if (transforms) return static_cast<double>(n) * value(i);
    const std::uint64_t line = i / n * n, own = i % n;
    double sum = 0;
    for (std::uint64_t j = 0; j < n; ++j) sum += weights[(own + n - j) % n] * value(line + j);
    return sum;
  });
}

}  // namespace

Judgement judge(const Problem& p, std::string_view step, const Answer& answer,
                const Instance& instance) {
  const bool transforms = fft::only_transforms(step);
  const Array& array = answer.at("out");
  const auto n = static_cast<std::uint64_t>(p.size.at("n"));
  const auto count = static_cast<std::uint64_t>(shape_of(p).numbers());
  const auto at = drawn(count, std::clamp<std::uint64_t>(100'000'000 / n, 8, 4096), p.seed);
  return held(p,
              fmt::format("{} at {} drawn places",
                          transforms ? "n times the numbers"
                                     : "derivatives of trigonometric interpolants, as sums",
                          at.size()),
              array, count,
              [&]<class T>(T) { return fault_of<T>(p, transforms, at, array, instance.stream()); });
}

Disagreement compare(const Problem& p, const Answer& left, const Answer& right,
                     const Stream& stream) {
  return fft::compare_near(p, static_cast<double>(p.size.at("n")), left, right, stream);
}

}  // namespace portcost::fft_derivative
