// SPDX-License-Identifier: Apache-2.0
// The compiler's vectors, for hosts. Plain C++; both sides of a pair use them. nvcc compiles their
// users and never runs them, so it gets arrays.
#pragma once

#include <cstdint>
#include <type_traits>

namespace portcost {

/// Elements of T in a vector of `bytes_` bytes, aligned as an element.
template <class T, int bytes_>
struct Vectors {
  static constexpr int bytes = bytes_, wide = bytes / static_cast<int>(sizeof(T));
#if defined(__GNUC__) && !defined(__CUDACC__)
  typedef T Vector __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
#else
  struct Vector {
    T at[wide];
    T& operator[](int i) { return at[i]; }
    T operator[](int i) const { return at[i]; }
  };
#endif

  /// Element l of vector v becomes element v of vector l.
  static void transpose(Vector (&of)[wide]) { transpose_by<wide / 2>(of); }

 private:
  template <int half>
  static void transpose_by(Vector (&of)[wide]) {
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC unroll 16
#endif
    for (int v = 0; v < wide; ++v) {
      if ((v & half) == 0) exchange<half>(of[v], of[v + half]);
    }
    if constexpr (half > 1) transpose_by<half / 2>(of);
  }
  // In each 2 * half lanes, exchanges the upper half of one with the lower half of the other.
  template <int half>
  static void exchange(Vector& one, Vector& other) {
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
    using Lane = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    typedef Lane Mask __attribute__((vector_size(bytes)));
    Mask low = {}, high = {};
#pragma GCC unroll 16
    for (int l = 0; l < wide; ++l) {
      low[l] = (l & half) == 0 ? l : wide + l - half;
      high[l] = (l & half) == 0 ? l + half : wide + l;
    }
    const Vector first = __builtin_shuffle(one, other, low);
    other = __builtin_shuffle(one, other, high);
    one = first;
#else
    for (int l = 0; l < wide; ++l) {
      if ((l & half) != 0) continue;
      const T kept = one[l + half];
      one[l + half] = other[l];
      other[l] = kept;
    }
#endif
  }
};

}  // namespace portcost
