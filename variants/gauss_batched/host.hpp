// SPDX-License-Identifier: Apache-2.0
// staged on a host: what one thread does with a strip of systems, of both sides of a pair: element
// e of all of them is one vector. Plain C++.
#pragma once

#include <algorithm>

#include "variants/gauss_batched/problem.hpp"

// nvcc compiles this and never runs it; it does not know the pragma.
#ifdef __CUDACC__
#pragma nv_diag_suppress 1675
#endif

namespace portcost::gauss_batched {

/// The systems from `first` on, and room for a strip of them.
template <class T>
struct HostStrip {
  using Of = Strip<T>;
  using Vector = typename Of::Vector;
  static constexpr int wide = Of::wide;
  Batch<T> b;
  int first;
  T* strip;

  void take() const {
    load();
    factor();
    store();
  }

 private:
  int there() const { return std::min(wide, b.count - first); }
  // Elements that go in squares, where the strip is full.
  int in_squares() const { return there() == wide ? b.size() / wide * wide : 0; }

  void load() const {
    // Systems past the end are 0, whose pivots are refused and not noted.
    if (there() < wide) std::fill_n(strip, b.size() * wide, T(0));
    const int size = b.size(), squares = in_squares(), systems = there();
    for (int begin = 0; begin < squares; begin += wide) {
      copy_square(strip + begin * wide, wide, b.system(first) + begin, size);
    }
    for (int l = 0; l < systems; ++l) {
      const T* const from = b.system(first + l);
      for (int e = squares; e < size; ++e) strip[e * wide + l] = from[e];
    }
  }

  void store() const {
    const int size = b.size(), squares = in_squares(), systems = there();
    for (int begin = 0; begin < squares; begin += wide) {
      copy_square(b.system(first) + begin, size, strip + begin * wide, wide);
    }
    for (int l = 0; l < systems; ++l) {
      T* const to = b.system(first + l);
      for (int e = squares; e < size; ++e) to[e] = strip[e * wide + l];
    }
  }

  // `wide` lines of as many elements, so many apart, transposed.
  static void copy_square(T* to, int to_apart, const T* from, int from_apart) {
    Vector some[wide];
#pragma GCC unroll 16
    for (int l = 0; l < wide; ++l) some[l] = Of::load(from + l * from_apart);
    Of::transpose(some);
#pragma GCC unroll 16
    for (int l = 0; l < wide; ++l) Of::store(to + l * to_apart, some[l]);
  }

  // The pivots of column k, with 1 for those that are refused, which are noted.
  Vector pivots(int k) const {
    Vector result = Of::load(strip + k * (b.n + 1) * wide);
    for (int l = 0; l < wide; ++l) {
      if (!b.refuses(result[l])) continue;
      result[l] = 1;
      if (l < there() && b.bad_pivot[first + l] < 0) b.bad_pivot[first + l] = k;
    }
    return result;
  }

  void factor() const {
    const int n = b.n;
    const auto at = [n, to = strip](int i, int j) { return to + (i * n + j) * wide; };
    for (int k = 0; k < n; ++k) {
      const Vector inverses = Of::reciprocal(pivots(k));
      for (int i = k + 1; i < n; ++i) {
        const Vector times = Of::multiplier(Of::load(at(i, k)), inverses);
        Of::store(at(i, k), times);
        for (int j = k + 1; j < n; ++j) {
          Of::store(at(i, j), Of::eliminate(Of::load(at(i, j)), times, Of::load(at(k, j))));
        }
      }
    }
  }
};

}  // namespace portcost::gauss_batched

#ifdef __CUDACC__
#pragma nv_diag_default 1675
#endif
