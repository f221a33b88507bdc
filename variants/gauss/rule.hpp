// SPDX-License-Identifier: Apache-2.0
// The arithmetic of Gauss elimination: variants/lu_rule.hpp, and blocks of pivots.
#pragma once

#include "variants/lu_rule.hpp"

namespace portcost::gauss {

using portcost::eliminate;
using portcost::is_bad_pivot;
using portcost::reciprocal;

/// By what the pivot's row is multiplied before it is taken from the element's row.
template <class T>
PORTCOST_HOST_DEVICE inline T multiplier(T element, T pivot) {
  return element * reciprocal(pivot);
}

/// The square of a block of `size` pivots, and what it makes of the block's rows and columns: what
/// closing a tile does between two barriers, by every thread for itself in registers.
template <class T, int size>
struct Corner {
  /// Eliminates the block's own columns. Returns the first whose pivot is refused, after which the
  /// rest means nothing; `size`: none.
  PORTCOST_HOST_DEVICE int close(T tiny) {
    int bad = size;
    for (int p = 0; p < size; ++p) {
      if (is_bad_pivot(at[p][p], tiny) && p < bad) bad = p;
      inverse[p] = reciprocal(at[p][p]);
      for (int r = p + 1; r < size; ++r) {
        at[r][p] = at[r][p] * inverse[p];
        for (int c = p + 1; c < size; ++c) at[r][c] = eliminate(at[r][c], at[r][p], at[p][c]);
      }
    }
    return bad;
  }
  /// Elements of a row below, in the block's columns: then multipliers.
  PORTCOST_HOST_DEVICE void to_multipliers(T (&row)[size]) const {
    for (int p = 0; p < size; ++p) {
      row[p] = row[p] * inverse[p];
      for (int c = p + 1; c < size; ++c) row[c] = eliminate(row[c], row[p], at[p][c]);
    }
  }
  /// Element c of the block's rows, c being a column beside: then rows of U.
  template <int cols>
  PORTCOST_HOST_DEVICE void to_u(T (&rows)[size][cols], int c) const {
    for (int p = 0; p < size; ++p) {
      for (int r = p + 1; r < size; ++r) {
        rows[r][c] = eliminate(rows[r][c], at[r][p], rows[p][c]);
      }
    }
  }

  alignas(size * sizeof(T)) T at[size][size];
  T inverse[size];
};

}  // namespace portcost::gauss
