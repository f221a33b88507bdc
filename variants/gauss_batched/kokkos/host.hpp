// SPDX-License-Identifier: Apache-2.0
// Portable work of one thread, as on a host, on a strip of systems: a vector holds element e of all
// of them.
#pragma once

#include "variants/gauss_batched/problem.hpp"
#include "variants/shared/kokkos_tiles.hpp"

// nvcc compiles this and never runs it; nvcc does not know the pragma.
#ifdef __CUDACC__
#pragma nv_diag_suppress 1675
#endif

namespace portcost::gauss_batched {

/// The systems from `first` on, and their strip in scratch.
template <class T>
struct HostStrip {
  using Of = Strip<T>;
  using Vector = typename Of::Vector;
  static constexpr int wide = Of::wide;
  Batch<T> b;
  int first;
  T* strip;

  int there() const { return compat::min(wide, b.count - first); }
  int in_squares() const { return there() == wide ? b.size() / wide * wide : 0; }

  void load() const {
    if (there() < wide) {  // systems past the end are 0; their refused pivots are not stored
      for (int e = 0; e < b.size() * wide; ++e) strip[e] = 0;
    }
    for (int begin = 0; begin < in_squares(); begin += wide) {
      Vector some[wide];
#pragma GCC unroll 16
      for (int l = 0; l < wide; ++l) some[l] = Of::load(b.system(first + l) + begin);
      Of::transpose(some);
#pragma GCC unroll 16
      for (int l = 0; l < wide; ++l) Of::store(strip + (begin + l) * wide, some[l]);
    }
    for (int l = 0; l < there(); ++l) {
      const T* const from = b.system(first + l);
      for (int e = in_squares(); e < b.size(); ++e) strip[e * wide + l] = from[e];
    }
  }

  void store() const {
    for (int begin = 0; begin < in_squares(); begin += wide) {
      Vector some[wide];
#pragma GCC unroll 16
      for (int l = 0; l < wide; ++l) some[l] = Of::load(strip + (begin + l) * wide);
      Of::transpose(some);
#pragma GCC unroll 16
      for (int l = 0; l < wide; ++l) Of::store(b.system(first + l) + begin, some[l]);
    }
    for (int l = 0; l < there(); ++l) {
      T* const to = b.system(first + l);
      for (int e = in_squares(); e < b.size(); ++e) to[e] = strip[e * wide + l];
    }
  }

  /// The pivots of column k. A refused pivot is stored in bad_pivot and replaced by 1.
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
    const auto at = [&](int i, int j) { return strip + (i * b.n + j) * wide; };
    for (int k = 0; k < b.n; ++k) {
      const Vector inverses = Of::reciprocal(pivots(k));
      for (int i = k + 1; i < b.n; ++i) {
        const Vector times = Of::multiplier(Of::load(at(i, k)), inverses);
        Of::store(at(i, k), times);
        for (int j = k + 1; j < b.n; ++j) {
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
