// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows or blocks of all matrices.
#include <algorithm>

#include "variants/transpose/openmp/blocked.hpp"
#include "variants/transpose/openmp/in_place.hpp"

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

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "naive", naive),
          rung(works, "blocked", [](const auto& s, const Stream&) { blocked(s, s.batch); }),
          rung(works, "in_place", [](const auto& s, const Stream&) { in_place(s); })
              .unless(not_in_place),
          rung(works, "copy", copy)};
}

}  // namespace portcost::transpose
