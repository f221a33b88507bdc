// SPDX-License-Identifier: Apache-2.0
// What OpenMP's code and the tuned kernels do alike on a host, where a tile is one thread's work.
// nvcc compiles this and never runs it.
#pragma once

#include <algorithm>

#include "variants/gauss/problem.hpp"
#include "variants/shared/vectors.hpp"

namespace portcost::gauss {

/// Subtracts a multiple of the pivot's row from `count` elements of a row.
template <class T>
void eliminate_row(T* __restrict row, T factor, const T* __restrict from, int count) {
#pragma omp simd
  for (int j = 0; j < count; ++j) row[j] = eliminate(row[j], factor, from[j]);
}

/// Stores column k in bad_pivot if its pivot is refused.
template <class T>
bool refused(const System<T>& s, int k, T pivot) {
  if (!s.refuses(k, pivot)) return false;
  *s.bad_pivot = k;
  return true;
}

/// The elements of a row in a strip of columns, as two vectors. With loops over an array instead,
/// g++ 12 keeps the array in memory and updates at half the rate.
template <class T>
struct Strip {
  static constexpr int wide = host_cols<T>, half = wide / 2;
  using Vector = typename Vectors<T, cache_line / 2>::Vector;

  static Strip load(const T* from) {
    return {*reinterpret_cast<const Vector*>(from), *reinterpret_cast<const Vector*>(from + half)};
  }
  void store(T* to) const {
    *reinterpret_cast<Vector*>(to) = first;
    *reinterpret_cast<Vector*>(to + half) = second;
  }
  /// Prefetches a strip of the next block: rows lie too far apart for a hardware prefetcher. `from`
  /// may lie beyond the last row.
  static void prefetch(const T* from) { __builtin_prefetch(from, 1); }
  T at(int c) const { return c < half ? first[c] : second[c - half]; }
  void set(int c, T value) {
    if (c < half) {
      first[c] = value;
    } else {
      second[c - half] = value;
    }
  }
  /// Does eliminate() (rule.hpp) with each element. The compiler uses a fused multiply-add where
  /// there is one, so that answers equal the other variants' bit for bit.
  void eliminate(T factor, const Strip& from) {
    first = first - factor * from.first;
    second = second - factor * from.second;
  }

  Vector first, second;
};

/// block_r1: a tile lies in `staged`, flat_tile * flat_tile elements that begin at a cache line, as
/// it lies in scratch on a GPU.
template <class T>
struct StagedTile {
  // A vector is a whole cache line. Two vectors of half a line would take twice as many stores, and
  // a processor with vectors of a line stores one at a time.
  using Line = typename Vectors<T, cache_line>::Vector;
  static constexpr int tile = flat_tile, wide = Vectors<T, cache_line>::wide;
  System<T> s;
  T* staged;

  /// Updates tile `at` by `columns`, row by row. `k`: the pivot tile; tiles beside it have the
  /// pivots' rows, tiles below it the pivots' columns.
  void eliminate_columns(Tile at, int k, Columns columns) const {
    const int i0 = at.row * tile, j0 = at.col * tile;
    const bool beside = at.row == k, below = at.col == k;
    for (int r = 0; r < tile; ++r) copy(staged + r * tile, s.row(i0 + r) + j0);
    for (int p = columns.first; p < columns.end; ++p) {
      const T* const from = beside ? staged + (p - i0) * tile : s.row(p) + j0;
      const int column = below ? p - j0 : -1;
      if (beside && below && refused(s, p, from[column])) return;
      const int first = beside ? p - i0 + 1 : 0;
      if (!below) {
        update_rows(i0, first, p, from);
        continue;
      }
      for (int r = first; r < tile; ++r) {
        T* const row = staged + r * tile;
        row[column] = multiplier(row[column], from[column]);
        eliminate_row(row + column + 1, row[column], from + column + 1, tile - 1 - column);
      }
    }
    for (int r = 0; r < tile; ++r) copy(s.row(i0 + r) + j0, staged + r * tile);
  }

 private:
  static void copy(T* to, const T* from) {
    for (int c = 0; c < tile; c += wide) {
      *reinterpret_cast<Line*>(to + c) = *reinterpret_cast<const Line*>(from + c);
    }
  }
  // Updates the tile's rows from `first` on by pivot p, whose row stays in registers.
  void update_rows(int i0, int first, int p, const T* from) const {
    Line given[tile / wide];
#pragma GCC unroll 16
    for (int c = 0; c < tile; c += wide) {
      given[c / wide] = *reinterpret_cast<const Line*>(from + c);
    }
    for (int r = first; r < tile; ++r) {
      const T factor = s.row(i0 + r)[p];
#pragma GCC unroll 16
      for (int c = 0; c < tile; c += wide) {
        Line& element = *reinterpret_cast<Line*>(staged + r * tile + c);
        element = element - factor * given[c / wide];
      }
    }
  }
};

/// panel: one thread's work on a tile, in strips of host_cols columns. `right` in its functions is
/// scratch, which begins at a cache line.
template <class T>
struct HostStrips {
  static constexpr int wide = host_cols<T>, scratch = panel_tile * wide;
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
        const T factor = multiplier(row.at(m), pivot[m]);
        row.set(m, factor);
        row.eliminate(factor, Strip<T>::load(triangle + m * wide));
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
  /// Factorises the pivot tile, strip by strip.
  void factorise(T* right, Columns columns) const {
    for (int p = columns.first; p < columns.end; p += wide) {
      for (int k = p; k < p + wide; ++k) {
        const T* const from = s.row(k);
        if (refused(s, k, from[k])) return;
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
  /// Eliminates `columns` in tile `at`. `k`: the pivot tile where the tile is in its row or column,
  /// else -1.
  void eliminate_columns(T* right, Tile at, int k, Columns columns) const {
    const int i = at.row * panel_tile, j = at.col * panel_tile;
    if (k < 0) {
      products(right, i, i + panel_tile, j, j + panel_tile, columns.first, panel_tile);
    } else if (at.row == at.col) {
      factorise(right, columns);
    } else {
      cross(right, at, k, columns);
    }
  }
};

}  // namespace portcost::gauss
