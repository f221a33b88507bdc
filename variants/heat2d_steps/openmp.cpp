// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows or tiles, vectors along x.
#include <algorithm>
#include <vector>

#include "variants/heat2d_steps/problem.hpp"

namespace portcost::heat2d_steps {

namespace {

// Columns [begin, end) of row y one step later; `row` and `out` point at column 0, and the rows
// beside `row` lie `pitch` apart.
template <class T>
void sweep_row(const Pass<T>& p, int y, int begin, int end, const T* row, std::int64_t pitch,
               T* out) {
  if (y == 0 || y == p.ny - 1) {
    std::copy(row + begin, row + end, out + begin);
    return;
  }
  if (begin == 0) out[0] = row[0];
  if (end == p.nx) out[p.nx - 1] = row[p.nx - 1];
  const T *const north = row - pitch, *const south = row + pitch;
  const int last = std::min(end, p.nx - 1);
  const Coefficients<T> c = p.c;
#pragma omp simd
  for (int x = std::max(begin, 1); x < last; ++x) {
    out[x] = heat_step(c, row[x], row[x - 1], row[x + 1], north[x], south[x]);
  }
}

constexpr auto one_step = []<class T>(const Steps<T>& s, const Stream&) {
  for_passes(s, 1, any_depth, [](const Pass<T>& p, int) {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < p.ny; ++y) sweep_row(p, y, 0, p.nx, p.row_in(y), p.pitch, p.row_out(y));
  });
};

// A thread computes `steps` steps of a tile in two tiles of its own, which its cache holds. Each
// step leaves out the lines that the next ones do not need; the last writes the grid.
template <class T>
void tile_steps(const Pass<T>& p, int steps, int x0, int y0, T* now, T* next) {
  constexpr TileShape shape = tile_shape(Place::host);
  constexpr int width = shape.width / static_cast<int>(sizeof(T));
  const int left = std::max(x0, 0), right = std::min<int>(x0 + width, p.nx);
  const int top = std::max(y0, 0), bottom = std::min<int>(y0 + shape.height, p.ny);
  const auto at = [&](T* tile, int y) { return tile + std::int64_t{y - y0} * width - x0; };
  for (int y = top; y < bottom; ++y) {
    std::copy(p.row_in(y) + left, p.row_in(y) + right, at(now, y) + left);
  }
  for (int k = 1; k <= steps; ++k) {
    const int first = left > 0 ? left + k : 0, last = right < p.nx ? right - k : p.nx;
    const int from = top > 0 ? top + k : 0, to = bottom < p.ny ? bottom - k : p.ny;
    for (int y = from; y < to; ++y) {
      sweep_row(p, y, first, last, at(now, y), width, at(next, y));
    }
    std::swap(now, next);
  }
  const int halo = halo_of<T>(steps);
  const int end = std::min<int>(y0 + shape.height - steps, p.ny);
  for (int y = y0 + steps; y < end; ++y) {
    std::copy(at(now, y) + x0 + halo, at(now, y) + std::min(x0 + width - halo, p.nx),
              p.row_out(y) + x0 + halo);
  }
}

template <class T>
void tiles_of_pass(const Pass<T>& p, int steps) {
  constexpr TileShape shape = tile_shape(Place::host);
  constexpr int width = shape.width / static_cast<int>(sizeof(T));
  const int halo = halo_of<T>(steps), wide = width - 2 * halo, high = shape.height - 2 * steps;
  const int columns = ceil_div(p.nx, wide), rows = ceil_div(p.ny, high);
#pragma omp parallel
  {
    std::vector<T> tiles(std::size_t{2} * width * shape.height);
    T* const second = tiles.data() + tiles.size() / 2;
#pragma omp for collapse(2) schedule(static)
    for (int ty = 0; ty < rows; ++ty) {
      for (int tx = 0; tx < columns; ++tx) {
        tile_steps(p, steps, tx * wide - halo, ty * high - steps, tiles.data(), second);
      }
    }
  }
}

template <class T>
void overlapped(const Steps<T>& s, int depth) {
  for_passes(s, std::min(depth, tile_depth(Place::host)), any_depth,
             [](const Pass<T>& p, int steps) { tiles_of_pass(p, steps); });
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "one_step", one_step),
          rung(works, "two_steps", [](const auto& s, const Stream&) { overlapped(s, 2); }),
          rung(works, "overlapped", [](const auto& s, const Stream&) { overlapped(s, s.depth); })};
}

}  // namespace portcost::heat2d_steps
