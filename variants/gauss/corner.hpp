// SPDX-License-Identifier: Apache-2.0
// The square of a block of pivots, and what it makes of the block's rows and columns: in registers,
// for both sides of a pair.
#pragma once

#include "variants/gauss/problem.hpp"

namespace portcost::gauss {

/// What closing a tile does between two barriers, by every thread for itself.
template <class T>
struct Corner {
  static constexpr int size = close_block;

  /// Eliminates the block's own columns. Returns the first whose pivot is refused, after which the
  /// rest means nothing; `size`: none.
  PORTCOST_HOST_DEVICE int close(const System<T>& s) {
    int bad = size;
#pragma unroll
    for (int p = 0; p < size; ++p) {
      if (s.refuses(at[p][p]) && p < bad) bad = p;
      inverse[p] = reciprocal(at[p][p]);
#pragma unroll
      for (int r = p + 1; r < size; ++r) {
        at[r][p] = at[r][p] * inverse[p];
#pragma unroll
        for (int c = p + 1; c < size; ++c) at[r][c] = eliminate(at[r][c], at[r][p], at[p][c]);
      }
    }
    return bad;
  }
  /// Elements of a row below, in the block's columns: then multipliers.
  PORTCOST_HOST_DEVICE void to_multipliers(T (&row)[size]) const {
#pragma unroll
    for (int p = 0; p < size; ++p) {
      row[p] = row[p] * inverse[p];
#pragma unroll
      for (int c = p + 1; c < size; ++c) row[c] = eliminate(row[c], row[p], at[p][c]);
    }
  }
  /// Element c of the block's rows, c being a column beside: then rows of U.
  template <int cols>
  PORTCOST_HOST_DEVICE void to_u(T (&rows)[size][cols], int c) const {
#pragma unroll
    for (int p = 0; p < size; ++p) {
#pragma unroll
      for (int r = p + 1; r < size; ++r) {
        rows[r][c] = eliminate(rows[r][c], at[r][p], rows[p][c]);
      }
    }
  }

  T at[size][size];
  T inverse[size];
};

}  // namespace portcost::gauss
