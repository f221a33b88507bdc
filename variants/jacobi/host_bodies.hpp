// SPDX-License-Identifier: Apache-2.0
// What OpenMP's code and the tuned kernels do alike on a host, where a thread has rows, a band of
// rows, or a tile.
#pragma once

#include <algorithm>
#include <utility>

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
/// naive: of row y.
template <class T>
void relax_row(const Sweep<T>& s, int y, int begin, int end) {
  relax_row(s.c, s.row_in(y - 1), s.row_in(y), s.row_in(y + 1), s.row_right(y), s.row_out(y), begin,
            end);
}

/// The greatest residual of row y's nodes, or the value so far, as bits.
template <class T>
Bits<T> greatest_of_row(const Sweep<T>& s, int y, Bits<T> greatest) {
  const T *const row = s.row_in(y), *const north = s.row_in(y - 1), *const south = s.row_in(y + 1),
                 *const right = s.row_right(y);
  for (int x = 0; x < s.columns; ++x) {
    greatest = std::max(greatest, bits_of(residual(s.c, row[x], north[x], south[x], row[x - 1],
                                                   row[x + 1], right[x])));
  }
  return greatest;
}

/// three_rows, in place: buffers hold a row's old values until the row below has been computed.
/// First each band saves its neighbours' rows, which the neighbours overwrite.
template <class T>
struct Bands {
  explicit Bands(const Task<T>& task)
      : count(std::min(task.processors, task.rows)),
        s_(task.sweep()),
        grid_(task.grids->now),
        buffers_(task.buffers) {}

  void save_edges(int b) const {
    const Band band = band_of(s_.rows, count, b);
    if (band.first == band.end) return;
    copy_row(s_.row_in(band.first - 1), buffer_row(b, 0));
    copy_row(s_.row_in(band.end), buffer_row(b, 3));
  }
  void relax(int b) const {
    const Band band = band_of(s_.rows, count, b);
    if (band.first == band.end) return;
    T *upper = buffer_row(b, 0), *middle = buffer_row(b, 1), *lower = buffer_row(b, 2);
    copy_row(s_.row_in(band.first), middle);
    for (int y = band.first; y < band.end; ++y) {
      const bool last = y + 1 == band.end;
      if (!last) copy_row(s_.row_in(y + 1), lower);
      relax_row(s_.c, upper, middle, last ? buffer_row(b, 3) : lower, s_.row_right(y),
                grid_ + s_.offset(y), 0, s_.columns);
      std::swap(upper, middle);
      std::swap(middle, lower);
    }
  }
  const int count;

 private:
  // The four rows of a band's memory, each by its node of column 0.
  T* buffer_row(int band, int row) const {
    return buffers_ + (std::int64_t{band} * buffer_rows + row) * s_.pitch + margin<T>;
  }
  // Copies a row and the frame's node on either side.
  void copy_row(const T* from, T* to) const { std::copy(from - 1, from + s_.columns + 1, to - 1); }

  Sweep<T> s_;
  T *grid_, *buffers_;
};

// ---- many_steps: a thread walks down a chunk of columns, and a row of each level (the grid after
// so many sweeps) follows the row of the level below it while both are in a core's cache.
// Neighbouring tiles also compute the columns and rows around a tile.

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

/// The tiles of a pass of `sweeps` sweeps, chunks of columns of bands of rows.
template <class T>
struct ManyStepsTiles {
  ManyStepsTiles(const Sweep<T>& s, int sweeps, int threads)
      : s_(s),
        sweeps_(sweeps),
        chunks_(ceil_div(s.columns, chunk_columns)),
        height_(many_rows(s.rows, chunks_, tiles_a_thread * threads, 1)) {}
  int count() const { return ceil_div(s_.rows, height_) * chunks_; }

  void advance(int tile) const {
    const int x0 = tile % chunks_ * chunk_columns,
              x1 = x0 + std::min(chunk_columns, s_.columns - x0);
    const int y0 = tile / chunks_ * height_, y1 = y0 + std::min(height_, s_.rows - y0);
    Levels<T> levels(s_, x0);
    // Row `first` of level 1; behind it, one row of each later level.
    for (int first = y0 - sweeps_ + 1; first < y1 + sweeps_ - 1; ++first) {
      for (int level = 1; level < sweeps_; ++level) {
        const int y = first - level + 1, halo = sweeps_ - level;
        if (y < std::max(y0 - halo, -1) || y >= std::min(y1 + halo, s_.rows + 1)) continue;
        advance_row(s_, levels, level, y, x0 - halo, x1 + halo);
      }
      const int y = first - sweeps_ + 1;
      if (y < y0 || y >= y1) continue;
      relax_row(s_.c, levels.row(sweeps_ - 1, y - 1), levels.row(sweeps_ - 1, y),
                levels.row(sweeps_ - 1, y + 1), s_.row_right(y), s_.row_out(y), x0, x1);
    }
  }

 private:
  Sweep<T> s_;
  int sweeps_, chunks_, height_;
};

}  // namespace portcost::jacobi
