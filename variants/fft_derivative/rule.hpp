// SPDX-License-Identifier: Apache-2.0
// The derivative of one mode of a line, and of lines by a transform without a library.
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

// ---- one_pass: two lines are the real and the imaginary part of one complex line. The derivative
// is linear and maps real lines to real lines, so the parts stay apart (but a NaN, or
// the rounding errors of a large line, reach its partner). The transform leaves the modes in the
// order of reversed digits (decimation in frequency: W. M. Gentleman and G. Sande, Fast Fourier
// Transforms for Fun and Profit, 1966), and the inverse transform mirrors it. So no pass reorders
// digits, and each thread stores to the global indices that it loaded. CUDA, by the book and tuned
// share these functions; each adds launch, accesses and barriers.

/// A team has 256 threads. Each thread holds eight complex elements. A team transforms 2048 / n
/// pairs of lines.
inline constexpr int pass_threads = 256, pass_own_elements = 8;
template <int n>
inline constexpr int threads_per_pair = n / pass_own_elements;
template <int n>
inline constexpr int pairs_per_team = pass_threads / threads_per_pair<n>;
/// The thread's number in its pair, and the pair's in the team, by unsigned divisions: signed ones
/// take more instructions.
template <int n>
PORTCOST_FORCEINLINE constexpr int thread_of_pair(int thread) {
  return static_cast<int>(static_cast<unsigned>(thread) % threads_per_pair<n>);
}
template <int n>
PORTCOST_FORCEINLINE constexpr int pair_of(int thread) {
  return static_cast<int>(static_cast<unsigned>(thread) / threads_per_pair<n>);
}
/// Resident teams per multiprocessor: they leave a thread 48 registers (f64: 80).
template <class T>
inline constexpr int pass_teams_per_multiprocessor = sizeof(T) == 4 ? 5 : 3;
/// The slot in scratch of an element of a team, and the number of slots. One slot of padding
/// follows each eight elements, against bank conflicts: f64 has none, f32 few.
PORTCOST_FORCEINLINE constexpr int pass_slot(int place) { return place + place / 8; }
inline constexpr int pass_scratch_slots = pass_slot(pass_threads * pass_own_elements);

/// Calls f(std::integral_constant<int, n>()) if n is a power of 2 from 64 to 2048, and returns
/// whether it did.
template <class F>
constexpr bool with_length(std::int64_t n, const F& f) {
  return [&]<int... logs>(std::integer_sequence<int, logs...>) {
    return ((n == 64 << logs && (f(std::integral_constant<int, 64 << logs>()), true)) || ...);
  }
  (std::make_integer_sequence<int, 6>());
}

/// The radix of the stage that transforms blocks of `length` elements.
template <int length>
inline constexpr int radix = length < 8 ? length : 8;
/// The place in the line of element e of thread t.
template <int n, int length>
PORTCOST_FORCEINLINE constexpr int place_at(int t, int e) {
  constexpr int stride = length / radix<length>;
  const int butterfly = t + e / radix<length> * threads_per_pair<n>;
  return butterfly / stride * length + butterfly % stride + e % radix<length> * stride;
}
/// The mode that lies at a place of a block after the last stage.
template <int length>
PORTCOST_FORCEINLINE constexpr int mode_at(int place) {
  constexpr int stride = length / radix<length>;
  if constexpr (stride == 1) {
    return place;
  } else {
    return place / stride + radix<length> * mode_at<stride>(place % stride);
  }
}

template <class T>
PORTCOST_FORCEINLINE fft::Complex<T> product(fft::Complex<T> a, fft::Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// Multiplies z by exp(-2 pi i m / 8) for m < 4, or by its conjugate if inverse.
template <bool inverse, class T>
PORTCOST_FORCEINLINE fft::Complex<T> times_eighth_root(fft::Complex<T> z, int m) {
  constexpr T inverse_root_2 = T(0.70710678118654752440);  // its square is a half
  const T im = inverse ? z.im : -z.im;                     // the forward root is the conjugate
  fft::Complex<T> r{z.re, im};
  if (m == 1) r = {inverse_root_2 * (z.re - im), inverse_root_2 * (z.re + im)};
  if (m == 2) r = {-im, z.re};
  if (m == 3) r = {inverse_root_2 * (-z.re - im), inverse_root_2 * (z.re - im)};
  return {r.re, inverse ? r.im : -r.im};
}
/// exp(2 pi i j / length) for a power of 2.
template <class T>
PORTCOST_FORCEINLINE fft::Complex<T> root_of_unity(int j, int length) {
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

/// The unnormalised transform of r elements.
template <bool inverse, int r, class T>
PORTCOST_FORCEINLINE void butterfly(fft::Complex<T>* z) {
  if constexpr (r > 1) {
    fft::Complex<T> even[r / 2], odd[r / 2];
    PORTCOST_UNROLL for (int k = 0; k < r / 2; ++k) even[k] = z[2 * k], odd[k] = z[2 * k + 1];
    butterfly<inverse, r / 2>(even);
    butterfly<inverse, r / 2>(odd);
    PORTCOST_UNROLL for (int k = 0; k < r / 2; ++k) {
      const fft::Complex<T> o = times_eighth_root<inverse>(odd[k], k * (8 / r));
      z[k] = {even[k].re + o.re, even[k].im + o.im};
      z[k + r / 2] = {even[k].re - o.re, even[k].im - o.im};
    }
  }
}
/// A stage on thread t's elements: butterflies, and the twiddle factors between it and the next.
template <bool inverse, int n, int length, class T>
PORTCOST_FORCEINLINE void stage(fft::Complex<T>* z, int t) {
  constexpr int r = radix<length>, stride = length / r;
  PORTCOST_UNROLL for (int g = 0; g < pass_own_elements; g += r) {
    if constexpr (!inverse) butterfly<inverse, r>(z + g);
    if constexpr (stride > 1) {
      const int j = t % stride;
      fft::Complex<T> twiddle[r];
      twiddle[1] = root_of_unity<T>(inverse ? j : -j, length);
      PORTCOST_UNROLL for (int q = 1; q < r; ++q) {
        if (q > 1) twiddle[q] = product(twiddle[q / 2], twiddle[q - q / 2]);
        z[g + q] = product(z[g + q], twiddle[q]);
      }
    }
    if constexpr (inverse) butterfly<inverse, r>(z + g);
  }
}

/// Loads the thread's elements from scratch, from their places in the stage of `length`, or stores
/// them there. at(slot) is an element of scratch. The offset of element e from the thread's first
/// slot is the same for all threads, because place_at() adds without a carry out of the low three
/// bits.
template <bool load, int n, int length, class T, class At>
PORTCOST_FORCEINLINE void access_scratch(fft::Complex<T>* z, int thread, const At& at) {
  const int line = pair_of<n>(thread) * n;
  const int first = pass_slot(line + place_at<n, length>(thread_of_pair<n>(thread), 0));
  PORTCOST_UNROLL for (int e = 0; e < pass_own_elements; ++e) {
    fft::Complex<T>& element = at(first + pass_slot(place_at<n, length>(0, e)));
    if constexpr (load) {
      z[e] = element;
    } else {
      element = z[e];
    }
  }
}
/// Runs the stages of `length` and below (n = 2048: 2048, 256, 32, 4), multiplies the modes, and
/// runs the stages back. each(f) calls f(thread, i) for the executing thread's elements z[i].
/// Between two barriers a thread writes only slots that it was the last to read, so one barrier
/// between stages is enough.
template <int n, int length, class Z, class T, class At, class Each, class Barrier>
PORTCOST_FORCEINLINE void differentiate(Z& z, T unit, const At& at, const Each& each,
                                        const Barrier& barrier) {
  constexpr int stride = length / radix<length>;
  each([&](int thread, int i) {
    stage<false, n, length>(z[i], thread_of_pair<n>(thread));
    if constexpr (stride > 1) access_scratch<false, n, length>(z[i], thread, at);
  });
  if constexpr (stride > 1) {
    barrier();
    each([&](int thread, int i) { access_scratch<true, n, stride>(z[i], thread, at); });
    differentiate<n, stride>(z, unit, at, each, barrier);
    each([&](int thread, int i) { access_scratch<false, n, stride>(z[i], thread, at); });
    barrier();
  }
  each([&](int thread, int i) {
    const int t = thread_of_pair<n>(thread);
    if constexpr (stride > 1) {
      access_scratch<true, n, length>(z[i], thread, at);
    } else {
      PORTCOST_UNROLL for (int e = 0; e < pass_own_elements; ++e) {
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
    return 2 * (rank * pairs_per_team<n> + pair_of<n>(thread));
  };
  each([&](int thread, int i) {
    const int line = line_of(thread);
    PORTCOST_UNROLL for (int e = 0; e < pass_own_elements; ++e) {
      const int x = place_at<n, n>(thread_of_pair<n>(thread), e);
      z[i][e] = {line < lines ? in(line, x) : T(0), line + 1 < lines ? in(line + 1, x) : T(0)};
    }
  });
  differentiate<n, n>(z, unit, at, each, barrier);
  each([&](int thread, int i) {
    const int line = line_of(thread);
    PORTCOST_UNROLL for (int e = 0; e < pass_own_elements; ++e) {
      const int x = place_at<n, n>(thread_of_pair<n>(thread), e);
      if (line < lines) out(line, x, z[i][e].re);
      if (line + 1 < lines) out(line + 1, x, z[i][e].im);
    }
  });
}
template <int n>
constexpr int teams_of(int lines) {
  return (lines + 2 * pairs_per_team<n> - 1) / (2 * pairs_per_team<n>);
}

}  // namespace portcost::fft_derivative
