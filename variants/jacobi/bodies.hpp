// SPDX-License-Identifier: Apache-2.0
// What CUDA's kernels and the tuned kernels do alike with elements in registers. An item is a
// thread of a block, or an item of a team's range.
#pragma once

#include "variants/jacobi/problem.hpp"

namespace portcost::jacobi {

/// register_march: an item's columns from x on, `march_rows` rows down from y0.
template <class T>
PORTCOST_HOST_DEVICE void march(const Sweep<T>& s, int x, int y0) {
  constexpr int columns = piece<T>;
  const auto lesser = [](int a, int b) { return b < a ? b : a; };
  if (x >= s.columns) return;
  Wide<T> row[march_rows + 2], right[march_rows];
  T west[march_rows], east[march_rows];
#pragma unroll
  for (int r = 0; r < march_rows + 2; ++r) {
    row[r] = *reinterpret_cast<const Wide<T>*>(s.row_in(lesser(y0 - 1 + r, s.rows)) + x);
  }
#pragma unroll
  for (int r = 0; r < march_rows; ++r) {
    const int y = lesser(y0 + r, s.rows);
    right[r] = *reinterpret_cast<const Wide<T>*>(s.row_right(y) + x);
    west[r] = s.row_in(y)[x - 1];
    east[r] = s.row_in(y)[x + columns];
  }
#pragma unroll
  for (int r = 0; r < march_rows; ++r) {
    const int y = y0 + r;
    if (y >= s.rows) break;
    Wide<T> next;
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const T w = j == 0 ? west[r] : row[r + 1].at[j == 0 ? 0 : j - 1];
      const T e = j == columns - 1 ? east[r] : row[r + 1].at[j == columns - 1 ? 0 : j + 1];
      const T moved =
          relaxed(s.c, row[r].at[j], row[r + 2].at[j], w, e, source(s.c, right[r].at[j]));
      next.at[j] = x + j < s.columns ? moved : row[r + 1].at[j];
    }
    *reinterpret_cast<Wide<T>*>(s.row_out(y) + x) = next;
  }
}

/// many_steps: an item's columns of a row after a sweep. beta is 0 for columns of the frame and
/// beyond. `sides`: some columns are not inside. `ends`: some rows are not inside.
template <bool sides, bool ends, class T>
PORTCOST_FORCEINLINE Wide<T> relaxed_piece(const Sweep<T>& s, const T (&beta)[piece<T>],
                                           const Wide<T>& north, const Wide<T>& middle,
                                           const Wide<T>& south, T west, T east,
                                           const Wide<T>& source, int y) {
  constexpr int columns = piece<T>;
  Wide<T> result;
#pragma unroll
  for (int j = 0; j < columns; ++j) {
    const T w = j == 0 ? west : middle.at[j == 0 ? 0 : j - 1];
    const T e = j == columns - 1 ? east : middle.at[j == columns - 1 ? 0 : j + 1];
    const Coefficients<T> c{s.c.x, s.c.y, sides ? beta[j] : s.c.beta};
    const T next = relaxed(c, north.at[j], south.at[j], w, e, source.at[j]);
    result.at[j] = !ends || s.inside(y, 0) ? next : middle.at[j];
  }
  return result;
}

}  // namespace portcost::jacobi
