// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows or blocks of all matrices.
#include <algorithm>

#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

namespace {

template <class T>
void copy(const Matrices<T>& s, const Stream&) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int m = 0; m < s.batch; ++m) {
    for (int i = 0; i < s.ny; ++i) {
      const T* const from = s.row_of_a(m, i);
      std::copy(from, from + s.nx, s.row_of_copy(m, i));
    }
  }
}

// Reads along rows, and writes along columns.
template <class T>
void naive(const Matrices<T>& s, const Stream&) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int m = 0; m < s.batch; ++m) {
    for (int i = 0; i < s.ny; ++i) {
      const T* const from = s.row_of_a(m, i);
      T* const to = s.row_of_b(m, 0) + i;
      for (std::int64_t j = 0; j < s.nx; ++j) to[j * s.ny] = from[j];
    }
  }
}

// `rows` by `columns` elements of a block, transposed to `to`.
template <class T>
void load_block(const Matrices<T>& s, int m, int i0, int j0, int rows, int columns, T* to) {
  constexpr int wide = Square<T>::wide;
  const int full_rows = rows / wide * wide, full_columns = columns / wide * wide;
  for (int i = 0; i < rows; ++i) {
    const T* const from = s.row_of_a(m, i0 + i) + j0;
    if (i < full_rows && i % wide == 0) {
      for (int j = 0; j < full_columns; j += wide) {
        Square<T>::transpose(to + j * block + i, block, from + j, s.nx);
      }
    }
    for (int j = i < full_rows ? full_columns : 0; j < columns; ++j) to[j * block + i] = from[j];
  }
}

template <class T>
void blocked(const Matrices<T>& s, const Stream&) {
  const int down = ceil_div(s.ny, block), across = ceil_div(s.nx, block);
#pragma omp parallel for collapse(3) schedule(static)
  for (int m = 0; m < s.batch; ++m) {
    for (int bj = 0; bj < across; ++bj) {
      for (int bi = 0; bi < down; ++bi) {
        alignas(cache_line) T elements[block_elements];
        const int i0 = bi * block, j0 = bj * block;
        const int rows = std::min(block, s.ny - i0), columns = std::min(block, s.nx - j0);
        load_block(s, m, i0, j0, rows, columns, elements);
        for (int j = 0; j < columns; ++j) {
          const T* const from = elements + j * block;
          std::copy(from, from + rows, s.row_of_b(m, j0 + j) + i0);
        }
      }
    }
  }
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "naive", [](const auto& s, const Stream& on) { naive(s, on); }),
          rung(works, "blocked", [](const auto& s, const Stream& on) { blocked(s, on); }),
          rung(works, "copy", [](const auto& s, const Stream& on) { copy(s, on); })};
}

}  // namespace portcost::transpose
