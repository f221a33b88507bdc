// SPDX-License-Identifier: Apache-2.0
// What CUDA's kernels and the tuned kernels of lane_grid and shuffles do alike: an item at position
// (x, y) of a system's grid, a thread of a block or an item of a team's range, holds its elements
// in registers.
#pragma once

#include "variants/gauss_batched/problem.hpp"
#include "variants/shared/matrix_tiles.hpp"

namespace portcost::gauss_batched {

/// Loads or stores an item's elements, `wide` neighbours at a time. Elements past the end of the
/// system are 0.
template <class Shape, int wide, class T>
PORTCOST_FORCEINLINE void load_by(T (&own)[Shape::rows][Shape::cols], const T* a, int n, int x,
                                  int y) {
  const int first = Shape::col_of(x, 0);
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int row = Shape::row_of(y, r);
    const T* const from = a + row * n + first;
#pragma unroll
    for (int c = 0; c < Shape::cols; c += wide) {
#pragma unroll
      for (int e = 0; e < wide; ++e) own[r][c + e] = T(0);
      if (row < n && first + Shape::columns_after(c) < n) {
        copy_pack<wide>(own[r] + c, from + Shape::columns_after(c));
      }
    }
  }
}
template <class Shape, int wide, class T>
PORTCOST_FORCEINLINE void store_by(const T (&own)[Shape::rows][Shape::cols], T* a, int n, int x,
                                   int y) {
  const int first = Shape::col_of(x, 0);
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int row = Shape::row_of(y, r);
    T* const to = a + row * n + first;
#pragma unroll
    for (int c = 0; c < Shape::cols; c += wide) {
      if (row < n && first + Shape::columns_after(c) < n)
        copy_pack<wide>(to + Shape::columns_after(c), own[r] + c);
    }
  }
}
/// By packs where each row begins at a multiple of 16 bytes, else by elements. Where n equals the
/// shape's n it is a constant, so that no comparison remains.
template <class Shape, class T>
PORTCOST_FORCEINLINE void load_own(T (&own)[Shape::rows][Shape::cols], const T* a, int n, int x,
                                   int y, bool there) {
  if (there && n == Shape::n) {
    load_by<Shape, Shape::pack>(own, a, Shape::n, x, y);
  } else if (n % Shape::pack == 0) {
    load_by<Shape, Shape::pack>(own, a, there ? n : 0, x, y);
  } else {
    load_by<Shape, 1>(own, a, there ? n : 0, x, y);
  }
}
template <class Shape, class T>
PORTCOST_FORCEINLINE void store_own(const T (&own)[Shape::rows][Shape::cols], T* a, int n, int x,
                                    int y) {
  if (n == Shape::n) {
    store_by<Shape, Shape::pack>(own, a, Shape::n, x, y);
  } else if (n % Shape::pack == 0) {
    store_by<Shape, Shape::pack>(own, a, n, x, y);
  } else {
    store_by<Shape, 1>(own, a, n, x, y);
  }
}

}  // namespace portcost::gauss_batched
