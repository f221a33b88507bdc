// SPDX-License-Identifier: Apache-2.0
// For kernels on tiles of a matrix in CUDA and in Kokkos (bodies.hpp of an algorithm): the loop
// over a slice. A plain compiler does not know its pragmas.
#pragma once

#include "variants/shared/matrix_tiles.hpp"

namespace portcost {

/// Calls f(m, column, row) for each column m of a slice of the left tile, which is row m of the
/// right tile: `column` holds its elements in the item's rows, `row` the elements in the item's
/// columns. The loads for the next m precede the work on m. A trip of the loop, within which a
/// compiler orders instructions, covers `together`, an even number.
template <class Shape, int together, class T, class F>
PORTCOST_HOST_DEVICE inline void for_slice(int x, int y, const T* left, const T* right,
                                           const F& f) {
  constexpr int high = Shape::group_y, wide = Shape::group_x;
  alignas(pack_bytes<T>) T column[2][Shape::rows], row[2][Shape::cols];
  const auto load = [&](int m, int place) {
#pragma unroll
    for (int r = 0; r < Shape::rows; r += high) {
      copy_pack<high>(column[place] + r, left + m * Shape::left_pitch + Shape::row_of(y, r));
    }
#pragma unroll
    for (int c = 0; c < Shape::cols; c += wide) {
      copy_pack<wide>(row[place] + c, right + m * Shape::tile + Shape::col_of(x, c));
    }
  };
  const auto trip = [&](int some, bool last) {
#pragma unroll
    for (int e = 0; e < together; ++e) {
      const int now = e & 1;
      if (!last || e + 1 < together) load(some + e + 1, now ^ 1);
      f(some + e, column[now], row[now]);
    }
  };
  load(0, 0);
#pragma unroll 1
  for (int some = 0; some < Shape::slice - together; some += together) trip(some, false);
  trip(Shape::slice - together, true);
}

}  // namespace portcost
