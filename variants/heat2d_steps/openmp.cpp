// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: cache blocking in time. A thread walks down a chunk of columns. Level k (the
// grid after k steps) computes a row while the rows of level k - 1 are in the core's own cache.
// Each tile also computes a halo of columns and rows, which neighbouring tiles compute, too.
#include "variants/heat2d_steps/problem.hpp"

namespace portcost::heat2d_steps {

namespace {

// Nodes [begin, end) of row y one step later, from the rows north of it, its own, and south of it;
// only those of the grid.
template <class T>
void step_row(const Pass<T>& s, int y, const T* north, const T* row, const T* south, T* out,
              int begin, int end) {
  begin = std::max(begin, 0);
  end = std::min(end, s.nx);
  if (y == 0 || y == s.ny - 1) {
    std::copy(row + begin, row + end, out + begin);
    return;
  }
  if (begin == 0) out[0] = row[0];
  if (end == s.nx) out[end - 1] = row[end - 1];
  const Coefficients<T> c = s.c;
  const int last = std::min(end, s.nx - 1);
#pragma omp simd
  for (int x = std::max(begin, 1); x < last; ++x) {
    out[x] = heat_step(c, row[x], row[x - 1], row[x + 1], north[x], south[x]);
  }
}

// Rows [y0, y1) of columns [x0, x1), advanced by `depth` steps.
template <class T>
void tile(const Pass<T>& s, int depth, int x0, int x1, int y0, int y1) {
  T rows[most_depth - 1][3][chunk_row];
  const auto kept = [&](int level, int y) {
    return rows[level - 1][(y + 3) % 3] + chunk_margin - x0;
  };
  const auto row = [&](int level, int y) -> const T* {
    return level == 0 ? s.row_in(s.near_y(y)) : kept(level, y);
  };
  // Row `first` of level 1; behind it, one row of each later level.
  for (int first = y0 - depth + 1; first < y1 + depth - 1; ++first) {
    for (int level = 1; level <= depth; ++level) {
      const int y = first - level + 1, halo = depth - level;
      if (y < std::max(y0 - halo, 0) || y >= std::min(y1 + halo, s.ny)) continue;
      step_row(s, y, row(level - 1, y - 1), row(level - 1, y), row(level - 1, y + 1),
               level == depth ? s.row_out(y) : kept(level, y), x0 - halo, x1 + halo);
    }
  }
}

template <class T>
void pass(const Pass<T>& s, int depth, int threads) {
  const int chunks = ceil_div(s.nx, chunk_columns);
  const int height = band_rows(s.ny, chunks, bands_a_thread * threads);
  const int bands = ceil_div(s.ny, height);
#pragma omp parallel for collapse(2) schedule(static)
  for (int band = 0; band < bands; ++band) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int x0 = chunk * chunk_columns, y0 = band * height;
      tile(s, depth, x0, x0 + std::min(chunk_columns, s.nx - x0), y0,
           y0 + std::min(height, s.ny - y0));
    }
  }
}

template <class T>
void steps(const Run<T>& run, const Stream& stream, int asked) {
  for_passes(
      run, [=](int left) { return host_depth(asked, left); },
      [&](const Pass<T>& s, int depth) { pass(s, depth, processors(stream.place())); });
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "one_step", [](const auto& run, const Stream& on) { steps(run, on, 1); }),
          rung(works, "stream_y",
               [](const auto& run, const Stream& on) { steps(run, on, run.depth); })};
}

}  // namespace portcost::heat2d_steps
