// SPDX-License-Identifier: Apache-2.0
// The check of an answer: elements at sampled places, as sums over the image.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "variants/fft_convolution/problem.hpp"
#include "variants/shared/fft_truth.hpp"

namespace portcost::fft_convolution {

namespace {

template <class T>
std::string fault_of(const Problem& p, bool transforms, const std::vector<std::uint64_t>& at,
                     const Array& array, const Stream& stream) {
  const auto nx = static_cast<std::uint64_t>(p.size.at("nx"));
  const auto ny = static_cast<std::uint64_t>(p.size.at("ny"));
  const double all = static_cast<double>(nx * ny), rounding = fft::allowed_error(p.type, all);
  // A product's mean square is 1 / 144; few sums exceed six root mean squares, sqrt(all) / 2.
  const double allowed = rounding * (transforms ? all : std::sqrt(all) / 2);
  return fft::far_element<T>(array, at, allowed, stream, [&](std::uint64_t i) {
    if (transforms) return all * static_cast<double>(image_element<T>(p.seed, i));
    const std::uint64_t x = i % nx, y = i / nx;
    // One sum per row, so that roundings of sums stay below a transform's roundings.
    double all_rows = 0;
    for (std::uint64_t row = 0; row < ny; ++row) {
      const std::uint64_t line = (y + ny - row) % ny * nx;
      double sum = 0;
      for (std::uint64_t column = 0; column < nx; ++column) {
        const std::uint64_t of_kernel = line + (x >= column ? x - column : x + nx - column);
        sum += static_cast<double>(image_element<T>(p.seed, row * nx + column)) *
               static_cast<double>(kernel_element<T>(p.seed, of_kernel));
      }
      all_rows += sum;
    }
    return all_rows;
  });
}

}  // namespace

Judgement judge(const Problem& p, std::string_view step, const Answer& answer,
                const Instance& instance) {
  const bool transforms = fft::only_transforms(step);
  const Array& array = answer.at("out");
  const auto count = static_cast<std::uint64_t>(shape_of(p).numbers());
  const auto most = std::clamp<std::uint64_t>(300'000'000 / count, 8, 1024);
  const auto at = drawn(count, transforms ? 1024 : most, p.seed);
  return held(
      p,
      fmt::format("{} at {} drawn places",
                  transforms ? "points times the image" : "sums over all of the image", at.size()),
      array, count,
      [&]<class T>(T) { return fault_of<T>(p, transforms, at, array, instance.stream()); });
}

Disagreement compare(const Problem& p, const Answer& left, const Answer& right,
                     const Stream& stream) {
  return fft::compare_near(p, static_cast<double>(shape_of(p).numbers()), left, right, stream);
}

}  // namespace portcost::fft_convolution
