// SPDX-License-Identifier: Apache-2.0
// panel on a host: what one thread does with a tile, of both sides of a pair. Plain C++.
#pragma once

#include "variants/gauss/problem.hpp"

// nvcc compiles this and never runs it; it does not know the pragma.
#ifdef __CUDACC__
#pragma nv_diag_suppress 1675
#endif

namespace portcost::gauss {

/// What one thread does, in strips of host_cols columns.
template <class T>
struct HostPanel {
  static constexpr int wide = host_cols<T>;
  static constexpr int elements = panel_tile * wide;  // that `right` and `triangle` have room for
  System<T> s;

  /// Rows i .. i + rows - 1 of a strip less `depth` products. `right`: the rows of U of these
  /// columns alone, one after another. A function of its own: among others' registers g++ 12 has
  /// too few for the rows' addresses on an AMD EPYC.
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

  /// Rows [i, i_end) and columns [j, j_end) less the products over columns [k, k + depth). A
  /// strip's rows of U are copied together first, to `right`, because they lie far apart.
  void products(T* right, int i, int i_end, int j, int j_end, int k, int depth) const {
    for (; j < j_end; j += wide) {
      for (int m = 0; m < depth; ++m) Strip<T>::load(s.row(k + m) + j).store(right + m * wide);
      int row = i;
      for (; row + host_rows <= i_end; row += host_rows) block<host_rows>(row, j, k, depth, right);
      for (; row < i_end; row += host_rest) block<host_rest>(row, j, k, depth, right);
    }
  }

  /// Rows [i, i_end) of the strip that begins at p over its pivots. `triangle`: room for U there.
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

  /// Columns [j, j_end) of the rows of the strip that begins at p, over the pivots of these rows.
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

  /// The tile with the pivots. eliminate_row(row, times, from, count): `count` elements of a row
  /// less a multiple of the pivot's.
  template <class EliminateRow>
  void close(T* right, Columns columns, const EliminateRow& eliminate_row) const {
    for (int p = columns.first; p < columns.end; p += wide) {
      for (int k = p; k < p + wide; ++k) {
        const T* const from = s.row(k);
        if (s.refuses(k, from[k])) {
          *s.bad_pivot = k;
          return;
        }
        for (int i = k + 1; i < p + wide; ++i) {
          T* const row = s.row(i);
          row[k] = multiplier(row[k], from[k]);
          eliminate_row(row + k + 1, row[k], from + k + 1, p + wide - k - 1);
        }
      }
      divide_strip(right, p + wide, columns.end, p);
      solve_strip(p, p + wide, columns.end);
      products(right, p + wide, columns.end, p + wide, columns.end, p, wide);
    }
  }

  /// A tile beside the closed one, or below it.
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

  /// A tile less the products over the columns of a tile that begins with column k.
  void rest(T* right, Tile at, int k) const {
    constexpr int tile = panel_tile;
    products(right, at.row * tile, (at.row + 1) * tile, at.col * tile, (at.col + 1) * tile, k,
             tile);
  }
};

}  // namespace portcost::gauss

#ifdef __CUDACC__
#pragma nv_diag_default 1675
#endif
