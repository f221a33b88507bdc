// SPDX-License-Identifier: Apache-2.0
// Several sweeps a pass over memory: a thread walks down a chunk of columns, and a row of each
// level (the grid after so many sweeps) follows the row of the level below it while both are in a
// core's cache. Neighbouring tiles also compute the columns and rows around a tile.
#pragma once

#include <algorithm>

#include "variants/jacobi/problem.hpp"

namespace portcost::jacobi {

/// Relaxes nodes [begin, end) of a row from the old rows north of it, its own, and south of it.
template <class T>
inline void relax_row(Coefficients<T> c, const T* north, const T* row, const T* south,
                      const T* right_side, T* out, int begin, int end) {
#pragma omp simd
  for (int x = begin; x < end; ++x) {
    out[x] = relaxed(c, north[x], south[x], row[x - 1], row[x + 1], source(c, right_side[x]));
  }
}

/// Three rows of each level between the first and the last, from which the next level is computed.
template <class T>
class Levels {
 public:
  Levels(const Sweep<T>& s, int first_column) : s_(s), first_(first_column) {}
  /// Row y of a level, by its node of column 0; level 0 is the grid.
  const T* row(int level, int y) { return level == 0 ? s_.row_in(y) : kept(level, y); }
  T* kept(int level, int y) { return rows_[level - 1][(y + 3) % 3] + most_depth + 1 - first_; }

 private:
  const Sweep<T>& s_;
  int first_;
  T rows_[most_depth - 1][3][chunk_row];
};

/// Relaxes nodes [begin, end) of row y of a level between the first and the last, except the
/// frame's, which are copied.
template <class T>
void advance_row(const Sweep<T>& s, Levels<T>& levels, int level, int y, int begin, int end) {
  const T* const grid = s.row_in(y);
  T* const out = levels.kept(level, y);
  if (y == -1 || y == s.rows) {
    std::copy(grid + std::max(begin, -1), grid + std::min(end, s.columns + 1),
              out + std::max(begin, -1));
    return;
  }
  if (begin < 0) out[-1] = grid[-1];
  if (end > s.columns) out[s.columns] = grid[s.columns];
  relax_row(s.c, levels.row(level - 1, y - 1), levels.row(level - 1, y),
            levels.row(level - 1, y + 1), s.row_right(y), out, std::max(begin, 0),
            std::min(end, s.columns));
}

/// A tile, rows [y0, y1) of columns [x0, x1), advanced by `sweeps` sweeps.
template <class T>
void many_steps_tile(const Sweep<T>& s, int sweeps, int x0, int x1, int y0, int y1) {
  Levels<T> levels(s, x0);
  // Row `first` of level 1; behind it, one row of each later level.
  for (int first = y0 - sweeps + 1; first < y1 + sweeps - 1; ++first) {
    for (int level = 1; level < sweeps; ++level) {
      const int y = first - level + 1, halo = sweeps - level;
      if (y < std::max(y0 - halo, -1) || y >= std::min(y1 + halo, s.rows + 1)) continue;
      advance_row(s, levels, level, y, x0 - halo, x1 + halo);
    }
    const int y = first - sweeps + 1;
    if (y < y0 || y >= y1) continue;
    relax_row(s.c, levels.row(sweeps - 1, y - 1), levels.row(sweeps - 1, y),
              levels.row(sweeps - 1, y + 1), s.row_right(y), s.row_out(y), x0, x1);
  }
}

template <class T>
void many_steps_pass(const Sweep<T>& s, int sweeps, int threads) {
  const int chunks = ceil_div(s.columns, chunk_columns);
  const int height = many_rows(s.rows, chunks, tiles_a_thread * threads, 1);
  const int bands = ceil_div(s.rows, height);
#pragma omp parallel for collapse(2) schedule(static)
  for (int band = 0; band < bands; ++band) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int x0 = chunk * chunk_columns, y0 = band * height;
      many_steps_tile(s, sweeps, x0, x0 + std::min(chunk_columns, s.columns - x0), y0,
                      y0 + std::min(height, s.rows - y0));
    }
  }
}

}  // namespace portcost::jacobi
