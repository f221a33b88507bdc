// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/problem.hpp"

namespace portcost::jacobi {

namespace {

template <class T>
void sweep_all(const Sweep<T>& s) {
  for (int y = 0; y < s.rows; ++y) {
    const T *const row = s.row_in(y), *const north = s.row_in(y - 1),
                   *const south = s.row_in(y + 1);
    for (int x = 0; x < s.columns; ++x) {
      s.row_out(y)[x] =
          relaxed(s.c, north[x], south[x], row[x - 1], row[x + 1], source(s.c, s.row_right(y)[x]));
    }
  }
}

template <class T>
void greatest_residual(const Sweep<T>& s, T* greatest) {
  *greatest = 0;
  for (int y = 0; y < s.rows; ++y) {
    const T *const row = s.row_in(y), *const north = s.row_in(y - 1),
                   *const south = s.row_in(y + 1);
    for (int x = 0; x < s.columns; ++x) {
      const T one =
          residual(s.c, row[x], north[x], south[x], row[x - 1], row[x + 1], s.row_right(y)[x]);
      if (!(one <= *greatest)) *greatest = one;  // a NaN stays
      if (one != one) return;
    }
  }
}

}  // namespace

Rungs reference_rungs() {
  return {rung(works, "naive", []<class T>(const Task<T>& task, const Stream&) {
    carry_out(
        task, 1, [](const Sweep<T>& s, int) { sweep_all(s); }, greatest_residual<T>);
  })};
}

}  // namespace portcost::jacobi
