// SPDX-License-Identifier: Apache-2.0
// The derivative of one mode of a line, and of lines by a transform without a library.
#pragma once

#include <cstdint>

#include "variants/shared/fft_pass.hpp"

namespace portcost::fft_derivative {

/// The factor of mode k of n, without i 2 pi: the wave number, or 0 if 2 k = n, because only the
/// even part of this mode is known.
PORTCOST_HOST_DEVICE constexpr std::int64_t slope(std::int64_t k, std::int64_t n) {
  return 2 * k == n ? 0 : fft::wave_number(k, n);
}

/// i `by` z
template <class T>
PORTCOST_HOST_DEVICE constexpr fft::Complex<T> derived(fft::Complex<T> z, T by) {
  return {-by * z.im, by * z.re};
}

// ---- one_pass: two lines are the real and the imaginary part of one complex line. The derivative
// is linear and maps real lines to real lines, so the parts stay apart (but a NaN, or the rounding
// errors of a large line, reach its partner). Each thread stores to the global indices that it
// loaded.

template <int n>
using Pairs = fft::Along<n>;
/// Resident teams per multiprocessor: they leave a thread 48 registers (f64: 80).
template <class T>
inline constexpr int pass_teams_per_multiprocessor = sizeof(T) == 4 ? 5 : 3;
template <int n>
constexpr int teams_of(int lines) {
  return (lines + 2 * Pairs<n>::lines - 1) / (2 * Pairs<n>::lines);
}
/// Calls f(std::integral_constant<int, n>()) if n is a power of 2 from 64 to 2048, and returns
/// whether it did.
template <class F>
constexpr bool with_length(std::int64_t n, const F& f) {
  return fft::with_length<64, 6>(n, f);
}

/// one_pass of team `rank`: in(line, x) is a number, and out(line, x, value) stores a derivative.
template <int n, class T, class Z, class In, class Out, class At, class Each, class Barrier>
PORTCOST_FORCEINLINE void one_pass(Z& z, int rank, int lines, T unit, const In& in, const Out& out,
                                   const At& at, const Each& each, const Barrier& barrier) {
  const auto line_of = [rank](int thread) {
    return 2 * (rank * Pairs<n>::lines + Pairs<n>::line(thread));
  };
  each([&](int thread, int i) {
    const int line = line_of(thread);
    PORTCOST_UNROLL for (int e = 0; e < fft::own_elements; ++e) {
      const int x = fft::place_at<n, n>(Pairs<n>::thread_in_line(thread), e);
      z[i][e] = {line < lines ? in(line, x) : T(0), line + 1 < lines ? in(line + 1, x) : T(0)};
    }
  });
  fft::forward<Pairs<n>, n>(z, at, each, barrier);
  each([&](int thread, int i) {
    PORTCOST_UNROLL for (int e = 0; e < fft::own_elements; ++e) {
      const int k = fft::mode_of<n>(Pairs<n>::thread_in_line(thread), e);
      z[i][e] = derived(z[i][e], unit * static_cast<T>(static_cast<int>(slope(k, n))));
    }
  });
  fft::backward<Pairs<n>, n>(z, at, each, barrier);
  each([&](int thread, int i) {
    const int line = line_of(thread);
    PORTCOST_UNROLL for (int e = 0; e < fft::own_elements; ++e) {
      const int x = fft::place_at<n, n>(Pairs<n>::thread_in_line(thread), e);
      if (line < lines) out(line, x, z[i][e].re);
      if (line + 1 < lines) out(line + 1, x, z[i][e].im);
    }
  });
}

}  // namespace portcost::fft_derivative
