// SPDX-License-Identifier: Apache-2.0
// What OpenMP's code and the tuned kernels do alike on a host, where a thread has several systems:
// a vector holds element e of all of them. nvcc compiles this and never runs it.
#pragma once

#include <algorithm>

#include "variants/gauss_batched/problem.hpp"
#include "variants/shared/vectors.hpp"

namespace portcost::gauss_batched {

/// staged: as many systems as a vector of 64 bytes has lanes, from `first` on, and their elements,
/// interleaved. The vectors are the compiler's, because its code for loops over arrays is half as
/// fast.
template <class T>
struct Strip : Vectors<T, cache_line> {
  using Vector = typename Vectors<T, cache_line>::Vector;
  static constexpr int wide = Vectors<T, cache_line>::wide;
  static constexpr int elements(int n) { return n * n * wide; }
  Batch<T> b;
  int first;
  T* strip;  // elements(b.n)

  static Vector load(const T* from) { return *reinterpret_cast<const Vector*>(from); }
  static void store(T* to, const Vector& from) { *reinterpret_cast<Vector*>(to) = from; }

  int there() const { return std::min(wide, b.count - first); }
  int in_squares() const { return there() == wide ? b.size() / wide * wide : 0; }

  void load_systems() const {
    // Systems past the end are 0; their refused pivots are not stored.
    if (there() < wide) std::fill_n(strip, elements(b.n), T(0));
    for (int begin = 0; begin < in_squares(); begin += wide) {
      Vector some[wide];
#pragma GCC unroll 16
      for (int l = 0; l < wide; ++l) some[l] = load(b.system(first + l) + begin);
      Strip::transpose(some);
#pragma GCC unroll 16
      for (int l = 0; l < wide; ++l) store(strip + (begin + l) * wide, some[l]);
    }
    for (int l = 0; l < there(); ++l) {
      const T* const from = b.system(first + l);
      for (int e = in_squares(); e < b.size(); ++e) strip[e * wide + l] = from[e];
    }
  }

  void store_systems() const {
    for (int begin = 0; begin < in_squares(); begin += wide) {
      Vector some[wide];
#pragma GCC unroll 16
      for (int l = 0; l < wide; ++l) some[l] = load(strip + (begin + l) * wide);
      Strip::transpose(some);
#pragma GCC unroll 16
      for (int l = 0; l < wide; ++l) store(b.system(first + l) + begin, some[l]);
    }
    for (int l = 0; l < there(); ++l) {
      T* const to = b.system(first + l);
      for (int e = in_squares(); e < b.size(); ++e) to[e] = strip[e * wide + l];
    }
  }

  /// The pivots of column k. A refused pivot is stored in bad_pivot and replaced by 1.
  Vector pivots(int k) const {
    Vector result = load(strip + k * (b.n + 1) * wide);
    for (int l = 0; l < wide; ++l) {
      if (!b.refuses(result[l])) continue;
      result[l] = 1;
      if (l < there() && b.bad_pivot[first + l] < 0) b.bad_pivot[first + l] = k;
    }
    return result;
  }

  /// With reciprocal(), multiplier() and eliminate() (rule.hpp) of each element, except that the
  /// compiler decides whether product and difference are fused. A separate function: inlined, it
  /// leaves g++ 12 too few registers for addresses.
  [[gnu::noinline]] void factorise() const {
    const int n = b.n;  // local, because a store of a vector may change any memory
    const auto at = [n, all = strip](int i, int j) { return all + (i * n + j) * wide; };
    for (int k = 0; k < n; ++k) {
      const Vector inverses = T(1) / pivots(k);
      for (int i = k + 1; i < n; ++i) {
        const Vector multipliers = load(at(i, k)) * inverses;
        store(at(i, k), multipliers);
        for (int j = k + 1; j < n; ++j) {
          store(at(i, j), load(at(i, j)) - multipliers * load(at(k, j)));
        }
      }
    }
  }
};

}  // namespace portcost::gauss_batched
