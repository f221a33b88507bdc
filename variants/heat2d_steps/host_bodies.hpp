// SPDX-License-Identifier: Apache-2.0
// What OpenMP's code and the tuned kernels do alike on a host: cache blocking in time. A thread
// walks down a chunk of columns. Level k (the grid after k steps) computes a row while the rows of
// level k - 1 are in the core's own cache. Each tile also computes a halo of columns and rows,
// which neighbouring tiles compute, too.
#pragma once

#include "variants/heat2d_steps/problem.hpp"

namespace portcost::heat2d_steps {

/// The tiles of a pass: chunks of columns in bands of rows.
template <class T>
class HostTiles {
 public:
  HostTiles(const Pass<T>& pass, int depth, int threads)
      : s_(pass),
        depth_(depth),
        chunks_(ceil_div(pass.nx, chunk_columns)),
        height_(band_rows(pass.ny, chunks_, bands_a_thread * threads)) {}
  std::int64_t count() const { return std::int64_t{chunks_} * ceil_div(s_.ny, height_); }

  /// Advances tile i by all steps of the pass.
  void advance(std::int64_t i) const {
    const int x0 = static_cast<int>(i % chunks_) * chunk_columns,
              y0 = static_cast<int>(i / chunks_) * height_;
    const int x1 = x0 + std::min(chunk_columns, s_.nx - x0),
              y1 = y0 + std::min(height_, s_.ny - y0);
    T rows[most_depth - 1][3][chunk_row];
    const auto kept = [&](int level, int y) {
      return rows[level - 1][(y + 3) % 3] + chunk_margin - x0;
    };
    const auto row = [&](int level, int y) -> const T* {
      return level == 0 ? s_.row_in(s_.near_y(y)) : kept(level, y);
    };
    // Row `first` of level 1; behind it, one row of each later level.
    for (int first = y0 - depth_ + 1; first < y1 + depth_ - 1; ++first) {
      for (int level = 1; level <= depth_; ++level) {
        const int y = first - level + 1, halo = depth_ - level;
        if (y < std::max(y0 - halo, 0) || y >= std::min(y1 + halo, s_.ny)) continue;
        step_row(y, row(level - 1, y - 1), row(level - 1, y), row(level - 1, y + 1),
                 level == depth_ ? s_.row_out(y) : kept(level, y), std::max(x0 - halo, 0),
                 std::min(x1 + halo, s_.nx));
      }
    }
  }

 private:
  // Nodes [begin, end) of row y one step later, from the rows north of it, its own, and south of
  // it.
  void step_row(int y, const T* north, const T* row, const T* south, T* out, int begin,
                int end) const {
    if (y == 0 || y == s_.ny - 1) {
      std::copy(row + begin, row + end, out + begin);
      return;
    }
    if (begin == 0) out[0] = row[0];
    if (end == s_.nx) out[end - 1] = row[end - 1];
    const Coefficients<T> c = s_.c;
    const int last = std::min(end, s_.nx - 1);
#pragma omp simd
    for (int x = std::max(begin, 1); x < last; ++x) {
      out[x] = heat_step(c, row[x], row[x - 1], row[x + 1], north[x], south[x]);
    }
  }

  Pass<T> s_;
  int depth_, chunks_, height_;
};

/// Calls f(tiles) for each pass of a run.
template <class T, class F>
void for_host_passes(const Run<T>& run, const Stream& stream, const F& f) {
  for_passes(
      run, [&](int left) { return host_depth(run.depth, left); },
      [&](const Pass<T>& s, int depth) { f(HostTiles<T>(s, depth, processors(stream.place()))); });
}

}  // namespace portcost::heat2d_steps
