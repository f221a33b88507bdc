// SPDX-License-Identifier: Apache-2.0
// Hosts: the elements of a row that lie in one strip of columns, as two vectors of 32 bytes. Loops
// over an array in their place end up in memory: g++ 12 then does products at half the rate. Plain
// C++, for both sides of a pair.
#pragma once

#include <cmath>

#include "variants/gauss/problem.hpp"

namespace portcost::gauss {

template <class T>
struct Strip {
  static constexpr int wide = host_cols<T>, half = wide / 2;
#if defined(__GNUC__) && !defined(__CUDACC__)
  typedef T Vector __attribute__((vector_size(cache_line / 2), aligned(sizeof(T)), may_alias));
#else
  struct Vector {
    T at[half];
    T& operator[](int i) { return at[i]; }
    T operator[](int i) const { return at[i]; }
  };
#endif

  static Strip load(const T* from) {
    return {*reinterpret_cast<const Vector*>(from), *reinterpret_cast<const Vector*>(from + half)};
  }
  void store(T* to) const {
    *reinterpret_cast<Vector*>(to) = first;
    *reinterpret_cast<Vector*>(to + half) = second;
  }
  T at(int c) const { return c < half ? first[c] : second[c - half]; }
  void set(int c, T value) {
    if (c < half) {
      first[c] = value;
    } else {
      second[c - half] = value;
    }
  }
  /// As eliminate() (rule.hpp) does with each. Where there is a fused multiply-add the compiler
  /// takes it, so that answers are those of other variants to the bit.
  void eliminate(T times, const Strip& from) {
    take(first, times, from.first);
    take(second, times, from.second);
  }

  Vector first, second;

 private:
  static void take(Vector& element, T times, const Vector& from) {
#if defined(__GNUC__) && !defined(__CUDACC__)
    element = element - times * from;
#else
    for (int c = 0; c < half; ++c) element[c] = gauss::eliminate(element[c], times, from[c]);
#endif
  }
};

}  // namespace portcost::gauss
