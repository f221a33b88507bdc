// SPDX-License-Identifier: Apache-2.0
// The answer by transforms as their definition has them, in double precision.
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/fft_truth.hpp"

namespace portcost::fft_poisson {

namespace {

constexpr auto serial = []<class T>(const Grid<T>& s, const Stream&) {
  const auto square = [&](std::int64_t k, std::int64_t n) {
    const auto wave = static_cast<double>(k);
    if (s.laplace == Operator::spectral) return std::pow(2 * std::numbers::pi * wave, 2);
    const auto size = static_cast<double>(n);  // 2 - e^(i t) - e^(-i t) = 2 - 2 cos t
    return (2 - 2 * std::cos(2 * std::numbers::pi * wave / size)) * size * size;
  };
  const std::vector<double> out = fft::with_modes_multiplied(
      {s.f, s.f + s.shape().numbers()}, s.nx, s.ny, s.nz,
      [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const double sum = square(x, s.nx) + square(y, s.ny) + square(z, s.nz);
        return x == 0 && y == 0 && z == 0 ? 0 : 1 / sum;
      });
  std::copy(out.begin(), out.end(), s.out);
};

}  // namespace

Rungs reference_rungs() { return fft::reference_rungs(works, serial); }

}  // namespace portcost::fft_poisson
