// SPDX-License-Identifier: Apache-2.0
// What OpenMP's code and the tuned kernels do alike on a host, where a tile is one thread's work.
#pragma once

#include "variants/gauss/problem.hpp"

namespace portcost::gauss {

/// panel: one thread's work on a tile, in strips of host_cols columns.
template <class T>
struct HostStrips {
  static constexpr int wide = host_cols<T>;
  System<T> s;

  /// Updates rows i .. i + rows - 1 of a strip by `depth` pivots. `right`: the rows of U in the
  /// strip's columns, one after another. A separate function: inlined, it leaves g++ 12 too few
  /// registers for the rows' addresses on an AMD EPYC.
  template <int rows>
  [[gnu::noinline]] void block(int i, int j, int k, int depth, const T* right) const {
    Strip<T> of[rows];
    const T* left[rows];
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      of[r] = Strip<T>::load(s.row(i + r) + j);
      left[r] = s.row(i + r) + k;
      Strip<T>::prefetch(s.row(i + rows + r) + j);
    }
    for (int m = 0; m < depth; ++m) {
      const Strip<T> from = Strip<T>::load(right + m * wide);
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) of[r].eliminate(left[r][m], from);
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) of[r].store(s.row(i + r) + j);
  }

  /// Updates rows [i, i_end) and columns [j, j_end) by the pivots in columns [k, k + depth). The
  /// rows of U of a strip are copied together first, to `right`, because they lie far apart.
  void products(T* right, int i, int i_end, int j, int j_end, int k, int depth) const {
    for (; j < j_end; j += wide) {
      for (int m = 0; m < depth; ++m) Strip<T>::load(s.row(k + m) + j).store(right + m * wide);
      int row = i;
      for (; row + host_rows <= i_end; row += host_rows) block<host_rows>(row, j, k, depth, right);
      for (; row < i_end; row += host_rest) block<host_rest>(row, j, k, depth, right);
    }
  }

  /// Solves for the multipliers in rows [i, i_end) of the strip that begins at column p.
  /// `triangle`: space for the square of U on the diagonal.
  void divide_strip(T* triangle, int i, int i_end, int p) const {
    T pivot[wide];
    for (int m = 0; m < wide; ++m) {
      const T* const from = s.row(p + m) + p;
      pivot[m] = from[m];
      for (int c = 0; c < wide; ++c) triangle[m * wide + c] = c > m ? from[c] : T(0);
    }
    for (; i < i_end; ++i) {
      Strip<T> row = Strip<T>::load(s.row(i) + p);
#pragma GCC unroll 16
      for (int m = 0; m < wide; ++m) {
        const T times = multiplier(row.at(m), pivot[m]);
        row.set(m, times);
        row.eliminate(times, Strip<T>::load(triangle + m * wide));
      }
      row.store(s.row(i) + p);
    }
  }

  /// Solves for columns [j, j_end) of U in the rows of the strip that begins at column p.
  void solve_strip(int p, int j, int j_end) const {
    for (; j < j_end; j += wide) {
      for (int r = 1; r < wide; ++r) {
        const T* const left = s.row(p + r) + p;
        Strip<T> row = Strip<T>::load(s.row(p + r) + j);
        for (int m = 0; m < r; ++m) row.eliminate(left[m], Strip<T>::load(s.row(p + m) + j));
        row.store(s.row(p + r) + j);
      }
    }
  }
  /// Solves for a tile beside or below the pivot tile.
  void cross(T* right, Tile at, int k, Columns columns) const {
    const int i = at.row * panel_tile, j = at.col * panel_tile;
    for (int p = columns.first; p < columns.end; p += wide) {
      if (at.row == k) {
        solve_strip(p, j, j + panel_tile);
        products(right, p + wide, columns.end, j, j + panel_tile, p, wide);
      } else {
        divide_strip(right, i, i + panel_tile, p);
        products(right, i, i + panel_tile, p + wide, columns.end, p, wide);
      }
    }
  }
};

}  // namespace portcost::gauss
