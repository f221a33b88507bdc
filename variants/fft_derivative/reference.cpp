// SPDX-License-Identifier: Apache-2.0
// The answer by transforms as their definition has them, in double precision.
#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/fft_truth.hpp"

namespace portcost::fft_derivative {

namespace {

constexpr auto serial = []<class T>(const Lines<T>& s, const Stream&) {
  const std::complex<double> unit(0, 2 * std::numbers::pi);
  for (std::int64_t line = 0; line < s.lines; ++line) {
    const T* const f = s.f + line * s.n;
    const std::vector<double> out = fft::with_modes_multiplied(
        {f, f + s.n}, s.n, 1, 1, [&](std::int64_t k, std::int64_t, std::int64_t) {
          return 2 * k == s.n ? 0.0 : unit * static_cast<double>(k);
        });
    std::copy(out.begin(), out.end(), s.out + line * s.n);
  }
};

}  // namespace

Rungs reference_rungs() { return fft::reference_rungs(works, serial); }

}  // namespace portcost::fft_derivative
