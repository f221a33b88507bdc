// SPDX-License-Identifier: Apache-2.0
// Native kernel of registers.
#pragma once

#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

// The square from row i and column j of A on: whole, 16 bytes at a time.
template <class T>
__device__ void transpose_square(const Places<T>& s, int m, int i, int j) {
  constexpr int pack = SquareShape<T>::pack;
  alignas(16) T own[pack][pack];
#pragma unroll
  for (int r = 0; r < pack; ++r) copy_pack<pack>(own[r], s.row_of_a(m, i + r) + j);
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    alignas(16) T column[pack];
#pragma unroll
    for (int r = 0; r < pack; ++r) column[r] = own[r][c];
    copy_pack<pack>(s.row_of_b(m, j + c) + i, column);
  }
}
// The same element by element, as far as the matrix goes.
template <class T>
__device__ void transpose_elements(const Places<T>& s, int m, int i, int j) {
  constexpr int pack = SquareShape<T>::pack;
  T own[pack][pack] = {};
#pragma unroll
  for (int r = 0; r < pack; ++r) {
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      if (i + r < s.ny && j + c < s.nx) own[r][c] = s.row_of_a(m, i + r)[j + c];
    }
  }
#pragma unroll
  for (int c = 0; c < pack; ++c) {
#pragma unroll
    for (int r = 0; r < pack; ++r) {
      if (i + r < s.ny && j + c < s.nx) s.row_of_b(m, j + c)[i + r] = own[r][c];
    }
  }
}

template <bool whole, class T>
__global__ void __launch_bounds__(SquareShape<T>::threads)
    squares_kernel(Places<T> s, int line, int matrix) {
  using Shape = SquareShape<T>;
  const int thread = threadIdx.x, m = matrix + blockIdx.z;
  const int i = (line + blockIdx.y) * Shape::tile_rows + Shape::row(thread);
  const int j = blockIdx.x * Shape::tile_columns + Shape::column(thread);
  if (i >= s.ny || j >= s.nx) return;
  if (whole) {
    transpose_square(s, m, i, j);
  } else {
    transpose_elements(s, m, i, j);
  }
}

}  // namespace portcost::transpose
