// SPDX-License-Identifier: Apache-2.0
// Transforms of complex lines by teams, without a library. The forward transform leaves the modes
// in the order of reversed digits (decimation in frequency: W. M. Gentleman and G. Sande, Fast
// Fourier Transforms for Fun and Profit, 1966), and the inverse transform mirrors it, so no pass
// reorders digits. CUDA and Kokkos share these functions; each adds launch, accesses and barriers.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "variants/shared/fft_rule.hpp"

namespace portcost::fft {

/// A team has 256 threads. Each thread holds eight complex elements. A team transforms 2048 / n
/// lines of n elements.
inline constexpr int pass_threads = 256, own_elements = 8, pass_elements = 2048;
/// The slots of a team's scratch, with padding against bank conflicts.
inline constexpr int pass_slots = pass_elements + pass_elements / 8;

/// Lines contiguous in memory; neighbouring threads hold neighbouring elements.
/// Divisions are unsigned: signed ones take more instructions.
template <int n_>
struct Along {
  static constexpr int n = n_, lines = pass_elements / n, threads = n / own_elements;
  PORTCOST_FORCEINLINE static constexpr int line(int thread) {
    return static_cast<int>(static_cast<unsigned>(thread) / threads);
  }
  PORTCOST_FORCEINLINE static constexpr int thread_in_line(int thread) {
    return static_cast<int>(static_cast<unsigned>(thread) % threads);
  }
  PORTCOST_FORCEINLINE static constexpr int slot(int line, int place) {
    const int i = line * n + place;
    return i + i / 8;
  }
};
/// Lines are columns; neighbouring threads hold neighbouring columns.
template <int n_>
struct Across {
  static constexpr int n = n_, lines = pass_elements / n, threads = n / own_elements;
  PORTCOST_FORCEINLINE static constexpr int line(int thread) {
    return static_cast<int>(static_cast<unsigned>(thread) % lines);
  }
  PORTCOST_FORCEINLINE static constexpr int thread_in_line(int thread) {
    return static_cast<int>(static_cast<unsigned>(thread) / lines);
  }
  PORTCOST_FORCEINLINE static constexpr int slot(int line, int place) {
    const int i = place * lines + line;
    return i + i / 32 * 4;
  }
};

/// The radix of the stage on blocks of `length` elements, and the length of the last stage. Stages
/// of n = 2048: 2048, 256, 32, 4.
template <int length>
inline constexpr int radix = length < 8 ? length : 8;
template <int length>
PORTCOST_HOST_DEVICE constexpr int last_length() {
  if constexpr (length <= 8) {
    return length;
  } else {
    return last_length<length / 8>();
  }
}
/// The place in its line of thread t's element e in the stage of `length`.
template <int n, int length>
PORTCOST_FORCEINLINE constexpr int place_at(int t, int e) {
  constexpr int stride = length / radix<length>;
  const int butterfly = t + e / radix<length> * (n / own_elements);
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
/// The mode that thread t holds in z[e] after the last stage.
template <int n>
PORTCOST_FORCEINLINE constexpr int mode_of(int t, int e) {
  return mode_at<n>(place_at<n, last_length<n>()>(t, e));
}

/// Multiplies z by exp(-2 pi i m / 8) for m < 4, or by its conjugate if inverse.
template <bool inverse, class T>
PORTCOST_FORCEINLINE Complex<T> times_eighth_root(Complex<T> z, int m) {
  constexpr T inverse_root_2 = T(0.70710678118654752440);  // its square is a half
  const T im = inverse ? z.im : -z.im;                     // the forward root is the conjugate
  Complex<T> r{z.re, im};
  if (m == 1) r = {inverse_root_2 * (z.re - im), inverse_root_2 * (z.re + im)};
  if (m == 2) r = {-im, z.re};
  if (m == 3) r = {inverse_root_2 * (-z.re - im), inverse_root_2 * (z.re - im)};
  return {r.re, inverse ? r.im : -r.im};
}
/// exp(2 pi i j / length); `length` is a power of 2.
template <class T>
PORTCOST_FORCEINLINE Complex<T> root_of_unity(int j, int length) {
  const T half_turns = T(2) * static_cast<T>(j) / static_cast<T>(length);  // exact
  Complex<T> z;
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
PORTCOST_FORCEINLINE void butterfly(Complex<T>* z) {
  if constexpr (r > 1) {
    Complex<T> even[r / 2], odd[r / 2];
    PORTCOST_UNROLL for (int k = 0; k < r / 2; ++k) even[k] = z[2 * k], odd[k] = z[2 * k + 1];
    butterfly<inverse, r / 2>(even);
    butterfly<inverse, r / 2>(odd);
    PORTCOST_UNROLL for (int k = 0; k < r / 2; ++k) {
      const Complex<T> o = times_eighth_root<inverse>(odd[k], k * (8 / r));
      z[k] = {even[k].re + o.re, even[k].im + o.im};
      z[k + r / 2] = {even[k].re - o.re, even[k].im - o.im};
    }
  }
}
/// Thread t's part of a stage: butterflies, and the twiddle factors towards the next shorter stage.
template <bool inverse, int length, class T>
PORTCOST_FORCEINLINE void stage(Complex<T>* z, int t) {
  constexpr int r = radix<length>, stride = length / r;
  PORTCOST_UNROLL for (int g = 0; g < own_elements; g += r) {
    if constexpr (!inverse) butterfly<inverse, r>(z + g);
    if constexpr (stride > 1) {
      const int j = t % stride;
      Complex<T> twiddle[r];
      twiddle[1] = root_of_unity<T>(inverse ? j : -j, length);
      PORTCOST_UNROLL for (int q = 1; q < r; ++q) {
        if (q > 1) twiddle[q] = product(twiddle[q / 2], twiddle[q - q / 2]);
        z[g + q] = product(z[g + q], twiddle[q]);
      }
    }
    if constexpr (inverse) butterfly<inverse, r>(z + g);
  }
}

/// Loads the thread's elements of the stage of `length` from scratch, or stores them. at(slot) is
/// an element of scratch. The thread and e set different bits of the index, so element e lies at
/// the same offset from the thread's first slot in all threads.
template <bool load, class Lines, int length, class T, class At>
PORTCOST_FORCEINLINE void access_scratch(Complex<T>* z, int thread, const At& at) {
  constexpr int n = Lines::n;
  const int first =
      Lines::slot(Lines::line(thread), place_at<n, length>(Lines::thread_in_line(thread), 0));
  PORTCOST_UNROLL for (int e = 0; e < own_elements; ++e) {
    Complex<T>& element = at(first + Lines::slot(0, place_at<n, length>(0, e)));
    if constexpr (load) {
      z[e] = element;
    } else {
      element = z[e];
    }
  }
}
/// Runs the stages from `length` down. each(f) calls f(thread, i) for the caller's i-th logical
/// thread, whose elements are z[i]. Between two barriers only the writer accesses a slot that is
/// written, so one barrier between stages is enough.
template <class Lines, int length, class Z, class At, class Each, class Barrier>
PORTCOST_FORCEINLINE void forward(Z& z, const At& at, const Each& each, const Barrier& barrier) {
  constexpr int next = length / radix<length>;
  each([&](int thread, int i) {
    stage<false, length>(z[i], Lines::thread_in_line(thread));
    if constexpr (next > 1) access_scratch<false, Lines, length>(z[i], thread, at);
  });
  if constexpr (next > 1) {
    barrier();
    each([&](int thread, int i) { access_scratch<true, Lines, next>(z[i], thread, at); });
    forward<Lines, next>(z, at, each, barrier);
  }
}
/// Undoes forward(), times n.
template <class Lines, int length, class Z, class At, class Each, class Barrier>
PORTCOST_FORCEINLINE void backward(Z& z, const At& at, const Each& each, const Barrier& barrier) {
  constexpr int next = length / radix<length>;
  if constexpr (next > 1) {
    backward<Lines, next>(z, at, each, barrier);
    each([&](int thread, int i) { access_scratch<false, Lines, next>(z[i], thread, at); });
    barrier();
  }
  each([&](int thread, int i) {
    if constexpr (next > 1) access_scratch<true, Lines, length>(z[i], thread, at);
    stage<true, length>(z[i], Lines::thread_in_line(thread));
  });
}

// ---- An axis across rows: the columns of a matrix of n rows are transformed in place. Up to
// n = 512 one pass over memory transforms a column, multiplies its modes and transforms back.
// Above, the first pass transforms each 64 elements that are n / 64 apart and multiplies them by
// twiddle factors, the second pass is such a pass on 64 matrices of n / 64 rows, and the third pass
// mirrors the first.

enum class Part { both, forward, backward };
inline constexpr int outer_length = 64, shortest_inner = 16, inner_lengths = 6;  // 16 to 512
inline constexpr int longest_inner = shortest_inner << (inner_lengths - 1);

/// Calls f(std::integral_constant<int, n>()) if n is first * 2^i with i < count, and returns
/// whether n is.
template <int first, int count, class F>
constexpr bool with_length(std::int64_t n, const F& f) {
  return [&]<int... logs>(std::integer_sequence<int, logs...>) {
    return ((n == first << logs && (f(std::integral_constant<int, (first << logs)>()), true)) ||
            ...);
  }
  (std::make_integer_sequence<int, count>());
}
/// Whether over_axis() handles n: a power of 2 from 64 to 32768.
constexpr bool has_axis(std::int64_t n) {
  return n >= outer_length && n <= outer_length * longest_inner && (n & (n - 1)) == 0;
}
/// Resident teams per multiprocessor: they leave a thread 64 registers (f64: 80).
template <class T>
inline constexpr int axis_teams_per_multiprocessor = sizeof(T) == 4 ? 4 : 3;

/// One launch: `matrices` of n_ rows and `columns` columns. The axis has `length` elements at a
/// stride of `apart`.
template <int n_, Part part_>
struct AxisPass {
  using Lines = Across<n_>;
  static constexpr int n = n_;
  static constexpr Part part = part_;
  int matrices, columns, length, apart;

  PORTCOST_HOST_DEVICE constexpr int teams_per_matrix() const {
    return (columns + Lines::lines - 1) / Lines::lines;
  }
  constexpr int teams() const { return matrices * teams_per_matrix(); }
};
/// Calls launch(pass) for each pass over an axis for which has_axis(n).
template <class Launch>
void over_axis(int n, int columns, const Launch& launch) {
  const bool split = n > longest_inner;
  const int inner = split ? n / outer_length : n;
  if (split) launch(AxisPass<outer_length, Part::forward>{1, inner * columns, n, columns});
  with_length<shortest_inner, inner_lengths>(inner, [&](auto length) {
    launch(AxisPass<length.value, Part::both>{n / inner, columns, n, columns});
  });
  if (split) launch(AxisPass<outer_length, Part::backward>{1, inner * columns, n, columns});
}

/// Multiplies z[e], mode k = t + 8 e of 64, by exp(-2 pi i j k / length), or by its conjugate; j is
/// the row among the length / 64 rows of each of the 64.
template <bool inverse, class T>
PORTCOST_FORCEINLINE void multiply_by_twiddles(Complex<T>* z, int t, int j, int length) {
  if constexpr (!inverse) j = -j;
  Complex<T> power[own_elements];
  power[1] = root_of_unity<T>(j, length / own_elements);
  const Complex<T> root = root_of_unity<T>(j * t, length);
  z[0] = product(z[0], root);
  PORTCOST_UNROLL for (int e = 1; e < own_elements; ++e) {
    if (e > 1) power[e] = product(power[e / 2], power[e - e / 2]);
    z[e] = product(z[e], product(root, power[e]));
  }
}
/// A pass by team `rank`. element(matrix, row, column) refers to memory; glue(z, k, column)
/// multiplies z, mode k of a column.
template <class Pass, class Z, class Element, class Glue, class At, class Each, class Barrier>
PORTCOST_FORCEINLINE void run_pass(const Pass& pass, Z& z, int rank, const Element& element,
                                   const Glue& glue, const At& at, const Each& each,
                                   const Barrier& barrier) {
  using Lines = typename Pass::Lines;
  constexpr int n = Pass::n, last = last_length<n>();
  constexpr int loaded = Pass::part == Part::backward ? last : n;
  constexpr int stored = Pass::part == Part::forward ? last : n;
  const int matrix = rank / pass.teams_per_matrix();
  const int first_column = (rank - matrix * pass.teams_per_matrix()) * Lines::lines;
  // Threads past the last column load it, and store nothing.
  const auto column_of = [&](int thread) {
    const int column = first_column + Lines::line(thread);
    return column < pass.columns ? column : pass.columns - 1;
  };
  each([&](int thread, int i) {
    const int t = Lines::thread_in_line(thread), column = column_of(thread);
    PORTCOST_UNROLL for (int e = 0; e < own_elements; ++e) {
      z[i][e] = element(matrix, place_at<n, loaded>(t, e), column);
    }
  });
  if constexpr (Pass::part != Part::backward) forward<Lines, n>(z, at, each, barrier);
  each([&](int thread, int i) {
    const int t = Lines::thread_in_line(thread), column = column_of(thread);
    if constexpr (Pass::part == Part::both) {
      PORTCOST_UNROLL for (int e = 0; e < own_elements; ++e) {
        const int k = mode_at<outer_length>(matrix) + pass.matrices * mode_of<n>(t, e);
        z[i][e] = glue(z[i][e], k, column);
      }
    } else {
      multiply_by_twiddles<Pass::part == Part::backward>(z[i], t, column / pass.apart, pass.length);
    }
  });
  if constexpr (Pass::part != Part::forward) backward<Lines, n>(z, at, each, barrier);
  each([&](int thread, int i) {
    const int t = Lines::thread_in_line(thread), column = first_column + Lines::line(thread);
    if (column >= pass.columns) return;
    PORTCOST_UNROLL for (int e = 0; e < own_elements; ++e) {
      element(matrix, place_at<n, stored>(t, e), column) = z[i][e];
    }
  });
}

}  // namespace portcost::fft
