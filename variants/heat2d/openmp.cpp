// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows, vectors along x.
#include <algorithm>

#include "variants/heat2d/problem.hpp"

namespace portcost::heat2d {

namespace {

// Columns [begin, end) of row y, edges kept; or, `inner`, left to a loop of their own.
template <bool inner = false, class T>
void sweep_row(const Step<T>& s, int y, int begin, int end) {
  const T* const row = s.row_in(y);
  T* const out = s.row_out(y);
  if (y == 0 || y == s.ny - 1) {
    if (!inner) std::copy(row + begin, row + end, out + begin);
    return;
  }
  if (!inner && begin == 0) out[0] = row[0];
  if (!inner && end == s.nx) out[s.nx - 1] = row[s.nx - 1];
  const T *const north = row - s.pitch, *const south = row + s.pitch;
  const int last = std::min(end, s.nx - 1);
  const Coefficients<T> c = s.c;
#pragma omp simd
  for (int x = std::max(begin, 1); x < last; ++x) {
    out[x] = heat_step(c, row[x], row[x - 1], row[x + 1], north[x], south[x]);
  }
}

constexpr auto naive = []<class T>(const Step<T>& s, const Stream&) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < s.ny; ++y) sweep_row(s, y, 0, s.nx);
};

constexpr auto split_border = []<class T>(const Step<T>& s, const Stream&) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < s.ny; ++y) sweep_row<true>(s, y, 0, s.nx);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < std::max(s.nx, s.ny); ++i) s.keep_edge(i);
};

// Blocks narrow enough that three rows of one stay in the core's own cache, however long the grid's
// rows are.
constexpr auto blocked = []<class T>(const Step<T>& s, const Stream&) {
  const int blocks_x = ceil_div(s.nx, block_x), blocks_y = ceil_div(s.ny, block_y);
#pragma omp parallel for collapse(2) schedule(static)
  for (int by = 0; by < blocks_y; ++by) {
    for (int bx = 0; bx < blocks_x; ++bx) {
      const int begin = bx * block_x,
                end = static_cast<int>(std::min<std::int64_t>(s.nx, std::int64_t{begin} + block_x));
      const int last =
          static_cast<int>(std::min<std::int64_t>(s.ny, std::int64_t{by} * block_y + block_y));
      for (int y = by * block_y; y < last; ++y) sweep_row(s, y, begin, end);
    }
  }
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "naive", naive), rung(works, "split_border", split_border),
          rung(works, "blocked", blocked)};
}

}  // namespace portcost::heat2d
