// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows or blocks of all matrices.
#include <algorithm>

#include "variants/transpose/host_bodies.hpp"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

namespace {

constexpr auto copy = []<class T>(const Matrices<T>& s, const Stream&) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int m = 0; m < s.batch; ++m) {
    for (int i = 0; i < s.ny; ++i) {
      const T* const from = s.row_of_a(m, i);
      std::copy(from, from + s.nx, s.row_of_copy(m, i));
    }
  }
};

// Reads along rows, and writes along columns.
constexpr auto naive = []<class T>(const Matrices<T>& s, const Stream&) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int m = 0; m < s.batch; ++m) {
    for (int i = 0; i < s.ny; ++i) {
      const T* const from = s.row_of_a(m, i);
      T* const to = s.row_of_b(m, 0) + i;
      for (std::int64_t j = 0; j < s.nx; ++j) to[j * s.ny] = from[j];
    }
  }
};

// All groups of blocks, distributed to the threads.
template <template <class> class At, class T>
void blocked(const At<T>& s, int batch) {
  const int down = ceil_div(s.ny, group), across = ceil_div(s.nx, group);
#pragma omp parallel for collapse(3) schedule(static)
  for (int m = 0; m < batch; ++m) {
    for (int gj = 0; gj < across; ++gj) {
      for (int gi = 0; gi < down; ++gi) transpose_group(s, m, gi * group, gj * group);
    }
  }
}

// Pairs of groups, distributed to the threads.
constexpr auto in_place = []<class T>(const Matrices<T>& s, const Stream&) {
  const PairGrid pairs{ceil_div(s.nx, group)};
#pragma omp parallel for collapse(3) schedule(static)
  for (int m = 0; m < s.batch; ++m) {
    for (int line = 0; line < pairs.lines(); ++line) {
      for (int column = 0; column < pairs.columns(); ++column) {
        const Tile at = pairs.at(column, line);
        exchange_groups(s, m, at.row * group, at.col * group);
      }
    }
  }
  *s.answer = s.a;
};

}  // namespace

ModelLaunches openmp_launches() {
  const auto launch = [](const auto& s, int batch, const Stream&) { blocked(s, batch); };
  return {launch, launch};
}

Rungs openmp_rungs() {
  return {rung(works, "naive", naive),
          rung(works, "blocked", [](const auto& s, const Stream&) { blocked(s, s.batch); }),
          rung(works, "in_place", in_place).unless(not_in_place), rung(works, "copy", copy)};
}

}  // namespace portcost::transpose
