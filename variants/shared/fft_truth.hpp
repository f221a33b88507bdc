// SPDX-License-Identifier: Apache-2.0
// For algorithms that transform: the allowed rounding error of answers, and transforms by
// definition for references. Plain C++, without libraries and without code that the variants
// share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "src/contract/rung.hpp"
#include "src/contract/truth.hpp"

namespace portcost::fft {

/// The allowed error of an element, in units of the largest: 4 u (1 + log2 N). A transform of N
/// numbers is a product of log2 N sparse unitary matrices, each of which adds a few roundings u
/// norm-wise (Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2); two transforms
/// stay below this bound, with room for N with large prime factors.
inline double allowed_error(ElementType type, double numbers) {
  return 4 * (type == ElementType::f64 ? 0x1p-53 : 0x1p-24) * (1 + std::log2(numbers));
}

/// Answers agree if elements differ by at most 2 allowed_error() times the smaller of the two
/// largest elements. A transform has `numbers` numbers.
inline Disagreement compare_near(const Problem& p, double numbers, const Answer& left,
                                 const Answer& right, const Stream& stream) {
  Disagreement found = compare_exact(left, right, stream);
  if (found.unequal == 0) return found;
  return typed(p, [&]<class T>(T) {
    const Array& array = left.at(found.array);
    const std::size_t count = array.count();
    const std::vector<T> a = on_host<T>(array, 0, count, stream),
                         b = on_host<T>(right.at(found.array), 0, count, stream);
    T most_a = 0, most_b = 0;
    for (std::size_t i = 0; i < count; ++i) {
      most_a = std::max(most_a, std::abs(a[i]));
      most_b = std::max(most_b, std::abs(b[i]));
    }
    const double allowed = 2 * allowed_error(p.type, numbers) * std::min(most_a, most_b);
    return apart(array, a, b, allowed, [=](double x, double y) {
      return std::abs(x - y) <= allowed;  // false for NaN
    });
  });
}

/// One line about the first element of `at` that differs from right(element) by more than
/// `allowed`; empty if no element does.
template <class T, class Right>
std::string far_element(const Array& array, const std::vector<std::uint64_t>& at, double allowed,
                        const Stream& stream, const Right& right) {
  const Elements<T> elements(array, stream);
  std::vector<double> rights(at.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < at.size(); ++i) rights[i] = right(at[i]);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto found = static_cast<double>(elements[at[i]]);
    if (std::abs(found - rights[i]) <= allowed) continue;  // false for NaN
    return wrong_element(array, at[i], fmt::format("{:.17g}", found),
                         fmt::format("{:.17g} (within {:.3g})", rights[i], allowed));
  }
  return {};
}

/// Whether a step only transforms forth and back: its answer is factor() times the input.
inline bool only_transforms(std::string_view step) { return step == "transform" || step == "plan"; }

/// The references of all steps; `serial` is that of those which do more than transform.
template <class... Work, class Serial>
Rungs reference_rungs(const Works<Work...>& works, const Serial& serial) {
  constexpr auto scaled = []<class S>(const S& s, const Stream&) {
    const auto factor = static_cast<typename S::Number>(s.shape().factor());
    for (std::int64_t i = 0; i < s.shape().numbers(); ++i) s.out[i] = factor * s.f[i];
  };
  return {rung(works, "separate", serial), rung(works, "transform", scaled),
          rung(works, "plan", scaled)};
}

/// For references: multiplies the modes of nx * ny * nz numbers by factor(kx, ky, kz), with wave
/// numbers from -n / 2 to n / 2. Transforms are sums over all numbers of a line. The result drops
/// the imaginary part.
template <class Factor>
std::vector<double> with_modes_multiplied(std::vector<double> numbers, std::int64_t nx,
                                          std::int64_t ny, std::int64_t nz, const Factor& factor) {
  using Number = std::complex<double>;
  std::vector<Number> all(numbers.begin(), numbers.end());
  const auto all_lines = [&](int sign) {
    std::int64_t step = 1;
    for (const std::int64_t n : {nx, ny, nz}) {
      std::vector<Number> roots, line(static_cast<std::size_t>(n));
      for (std::int64_t j = 0; j < n; ++j) {
        roots.push_back(std::polar(
            1.0, 2 * std::numbers::pi * sign * static_cast<double>(j) / static_cast<double>(n)));
      }
      for (std::int64_t at = 0; at < nx * ny * nz; ++at) {
        if (at / step % n != 0) continue;  // the first of a line
        for (std::int64_t k = 0; k < n; ++k) {
          Number sum = 0;
          for (std::int64_t j = 0, turn = 0; j < n; ++j, turn = (turn + k) % n) {
            sum += all[static_cast<std::size_t>(at + j * step)] *
                   roots[static_cast<std::size_t>(turn)];
          }
          line[static_cast<std::size_t>(k)] = sum;
        }
        for (std::int64_t k = 0; k < n; ++k) {
          all[static_cast<std::size_t>(at + k * step)] = line[static_cast<std::size_t>(k)];
        }
      }
      step *= n;
    }
  };
  all_lines(-1);
  const auto signed_of = [](std::int64_t k, std::int64_t n) { return k > n / 2 ? k - n : k; };
  std::size_t at = 0;
  for (std::int64_t z = 0; z < nz; ++z) {
    for (std::int64_t y = 0; y < ny; ++y) {
      for (std::int64_t x = 0; x < nx; ++x) {
        all[at++] *= factor(signed_of(x, nx), signed_of(y, ny), signed_of(z, nz)) /
                     static_cast<double>(nx * ny * nz);
      }
    }
  }
  all_lines(1);
  for (std::size_t i = 0; i < all.size(); ++i) numbers[i] = all[i].real();
  return numbers;
}

}  // namespace portcost::fft
