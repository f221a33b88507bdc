// SPDX-License-Identifier: Apache-2.0
// The derivative of one mode of a line, and of lines by a transform of our own.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "variants/shared/fft_rule.hpp"

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

// ---- one_pass: the derivatives of two lines, as the real and the imaginary part of one complex
// line. Differentiation is linear, so the parts are never told apart. The transform leaves its
// modes in the order of reversed digits (decimation in frequency: W. M. Gentleman and G. Sande,
// Fast Fourier Transforms for Fun and Profit, 1966), and the way back is its mirror. So nothing is
// reordered, and each thread stores where it has read.

/// A team has 256 threads with eight elements each, of as many pairs of lines as these hold.
inline constexpr int pass_threads = 256, pass_own = 8;
template <int n>
inline constexpr int threads_of_pair = n / pass_own;
template <int n>
inline constexpr int pairs_of_team = pass_threads / threads_of_pair<n>;
/// Teams that a multiprocessor is to hold: they leave a thread 80 registers (f64: 128).
template <class T>
inline constexpr int pass_resident = sizeof(T) == 4 ? 3 : 2;
/// Scratch of a team, in complex elements: every ninth is left out, so that a warp meets no bank
/// twice.
inline constexpr int pass_elements = pass_threads * pass_own / 8 * 9;

/// Calls f(std::integral_constant<int, n>()), if n is a power of 2 from 64 to 2048.
template <class F>
constexpr bool with_length(std::int64_t n, const F& f) {
  return [&]<int... logs>(std::integer_sequence<int, logs...>) {
    return ((n == 64 << logs && (f(std::integral_constant<int, 64 << logs>()), true)) || ...);
  }
  (std::make_integer_sequence<int, 6>());
}

/// The stage that transforms blocks of `length` elements: into so many blocks.
template <int length>
inline constexpr int radix = length < 8 ? length : 8;
/// The place in the line of element e of thread t.
template <int n, int length>
PORTCOST_FORCEINLINE constexpr int place_at(int t, int e) {
  constexpr int apart = length / radix<length>;
  const int butterfly = t + e / radix<length> * threads_of_pair<n>;
  return butterfly / apart * length + butterfly % apart + e % radix<length> * apart;
}
/// The mode that lies at a place of a block behind the last stage.
template <int length>
PORTCOST_FORCEINLINE constexpr int mode_at(int place) {
  constexpr int apart = length / radix<length>;
  if constexpr (apart == 1) {
    return place;
  } else {
    return place / apart + radix<length> * mode_at<apart>(place % apart);
  }
}

template <class T>
PORTCOST_FORCEINLINE fft::Complex<T> product(fft::Complex<T> a, fft::Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// z turned by m < 4 eighths of a turn, back (counter-clockwise) or forth.
template <bool back, class T>
PORTCOST_FORCEINLINE fft::Complex<T> turned(fft::Complex<T> z, int m) {
  constexpr T half = T(0.70710678118654752440);  // its square is a half
  const T im = back ? z.im : -z.im;              // forth: the mirror of back
  fft::Complex<T> r{z.re, im};
  if (m == 1) r = {half * (z.re - im), half * (z.re + im)};
  if (m == 2) r = {-im, z.re};
  if (m == 3) r = {half * (-z.re - im), half * (z.re - im)};
  return {r.re, back ? r.im : -r.im};
}
/// exp(2 pi i j / length) for a power of 2.
template <class T>
PORTCOST_FORCEINLINE fft::Complex<T> root(int j, int length) {
  const T half_turns = T(2) * static_cast<T>(j) / static_cast<T>(length);  // exact
  fft::Complex<T> z;
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 4) {
    sincospif(half_turns, &z.im, &z.re);
  } else {
    sincospi(half_turns, &z.im, &z.re);
  }
#else
  const double angle = 3.14159265358979323846 * static_cast<double>(half_turns);
  z = {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
#endif
  return z;
}

/// Transforms r elements, without division.
template <bool back, int r, class T>
PORTCOST_FORCEINLINE void butterfly(fft::Complex<T>* z) {
  if constexpr (r > 1) {
    fft::Complex<T> even[r / 2], odd[r / 2];
    PORTCOST_UNROLL for (int k = 0; k < r / 2; ++k) even[k] = z[2 * k], odd[k] = z[2 * k + 1];
    butterfly<back, r / 2>(even);
    butterfly<back, r / 2>(odd);
    PORTCOST_UNROLL for (int k = 0; k < r / 2; ++k) {
      const fft::Complex<T> o = turned<back>(odd[k], k * (8 / r));
      z[k] = {even[k].re + o.re, even[k].im + o.im};
      z[k + r / 2] = {even[k].re - o.re, even[k].im - o.im};
    }
  }
}
/// A stage on thread t's elements: butterflies, and the turns between this stage and the next.
template <bool back, int n, int length, class T>
PORTCOST_FORCEINLINE void stage(fft::Complex<T>* z, int t) {
  constexpr int r = radix<length>, apart = length / r;
  PORTCOST_UNROLL for (int g = 0; g < pass_own; g += r) {
    if constexpr (!back) butterfly<back, r>(z + g);
    if constexpr (apart > 1) {
      const int j = t % apart;
      fft::Complex<T> power[r];
      power[1] = root<T>(back ? j : -j, length);
      PORTCOST_UNROLL for (int q = 1; q < r; ++q) {
        if (q > 1) power[q] = product(power[q / 2], power[q - q / 2]);
        z[g + q] = product(z[g + q], power[q]);
      }
    }
    if constexpr (back) butterfly<back, r>(z + g);
  }
}

/// Loads the thread's elements from their places in scratch at the stage of `length`, or stores
/// them. at(place) is an element of scratch.
template <bool load, int n, int length, class T, class At>
PORTCOST_FORCEINLINE void exchange(fft::Complex<T>* z, int thread, const At& at) {
  const int t = thread % threads_of_pair<n>, line = thread / threads_of_pair<n> * n;
  PORTCOST_UNROLL for (int e = 0; e < pass_own; ++e) {
    const int place = line + place_at<n, length>(t, e);
    fft::Complex<T>& element = at(place + place / 8);
    if constexpr (load) {
      z[e] = element;
    } else {
      element = z[e];
    }
  }
}
/// Differentiates the lines whose elements are in `z`, from the stage of `length` on. each(f) calls
/// f(thread, i) for the executing thread's elements z[i].
template <int n, int length, class Z, class T, class At, class Each, class Barrier>
PORTCOST_FORCEINLINE void differentiate(Z& z, T unit, const At& at, const Each& each,
                                        const Barrier& barrier) {
  constexpr int apart = length / radix<length>;
  each([&](int thread, int i) {
    stage<false, n, length>(z[i], thread % threads_of_pair<n>);
    if constexpr (apart > 1) exchange<false, n, length>(z[i], thread, at);
  });
  if constexpr (apart > 1) {
    barrier();
    each([&](int thread, int i) { exchange<true, n, apart>(z[i], thread, at); });
    differentiate<n, apart>(z, unit, at, each, barrier);
    each([&](int thread, int i) { exchange<false, n, apart>(z[i], thread, at); });
    barrier();
  }
  each([&](int thread, int i) {
    const int t = thread % threads_of_pair<n>;
    if constexpr (apart > 1) {
      exchange<true, n, length>(z[i], thread, at);
    } else {
      PORTCOST_UNROLL for (int e = 0; e < pass_own; ++e) {
        const int k = mode_at<n>(place_at<n, length>(t, e));
        z[i][e] = derived(z[i][e], unit * static_cast<T>(static_cast<int>(slope(k, n))));
      }
    }
    stage<true, n, length>(z[i], t);
  });
}

/// one_pass of team `rank`: in(line, x) is a number, and out(line, x, value) stores a derivative.
template <int n, class T, class Z, class In, class Out, class At, class Each, class Barrier>
PORTCOST_FORCEINLINE void one_pass(Z& z, int rank, int lines, T unit, const In& in, const Out& out,
                                   const At& at, const Each& each, const Barrier& barrier) {
  const auto line_of = [rank](int thread) {
    return 2 * (rank * pairs_of_team<n> + thread / threads_of_pair<n>);
  };
  each([&](int thread, int i) {
    const int line = line_of(thread);
    PORTCOST_UNROLL for (int e = 0; e < pass_own; ++e) {
      const int x = place_at<n, n>(thread % threads_of_pair<n>, e);
      z[i][e] = {line < lines ? in(line, x) : T(0), line + 1 < lines ? in(line + 1, x) : T(0)};
    }
  });
  differentiate<n, n>(z, unit, at, each, barrier);
  each([&](int thread, int i) {
    const int line = line_of(thread);
    PORTCOST_UNROLL for (int e = 0; e < pass_own; ++e) {
      const int x = place_at<n, n>(thread % threads_of_pair<n>, e);
      if (line < lines) out(line, x, z[i][e].re);
      if (line + 1 < lines) out(line + 1, x, z[i][e].im);
    }
  });
}
template <int n>
constexpr int teams_of(int lines) {
  return (lines + 2 * pairs_of_team<n> - 1) / (2 * pairs_of_team<n>);
}

}  // namespace portcost::fft_derivative
