// SPDX-License-Identifier: Apache-2.0
// Native kernels of registers and in_place_registers.
#pragma once

#include <type_traits>

#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

// Transposes the whole square at row i and column j of A, 16 bytes at a time.
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

// Transposes a thread's elements inside the matrix: loads all, then stores.
template <class T>
__device__ void transpose_elements(const Places<T>& s, int m, int i, int j) {
  using Shape = SquareShape<T, 1>;
  T own[Shape::items] = {};
#pragma unroll
  for (int k = 0; k < Shape::items; ++k) {
    const int row = i + k * Shape::stretch;
    if (row < s.ny) own[k] = s.row_of_a(m, row)[j];
  }
  T* const to = s.row_of_b(m, j);
#pragma unroll
  for (int k = 0; k < Shape::items; ++k) {
    const int row = i + k * Shape::stretch;
    if (row < s.ny) to[row] = own[k];
  }
}

// Whole squares, or elements.
template <bool whole, class T>
__global__ void __launch_bounds__(SquareShape<T>::threads)
    squares_kernel(Places<T> s, int line, int matrix) {
  using Shape = std::conditional_t<whole, SquareShape<T>, SquareShape<T, 1>>;
  const int thread = threadIdx.x, m = matrix + blockIdx.z;
  const int i = (line + blockIdx.y) * Shape::tile_rows + Shape::row(thread);
  const int j = blockIdx.x * Shape::tile_columns + Shape::column(thread);
  if (i >= s.ny || j >= s.nx) return;
  if constexpr (whole) {
    transpose_square(s, m, i, j);
  } else {
    transpose_elements(s, m, i, j);
  }
}

// Exchanges the square at row i and column j with the square on the other side of the diagonal; a
// square on the diagonal is its own partner. All loads precede the first store.
template <class T>
__device__ void exchange_squares(T* a, int n, int i, int j) {
  constexpr int pack = SquareShape<T>::pack;
  alignas(16) T upper[pack][pack], lower[pack][pack];
#pragma unroll
  for (int r = 0; r < pack; ++r) copy_pack<pack>(upper[r], a + times(i + r, n) + j);
#pragma unroll
  for (int r = 0; r < pack; ++r) copy_pack<pack>(lower[r], a + times(j + r, n) + i);
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    alignas(16) T of_upper[pack], of_lower[pack];
#pragma unroll
    for (int r = 0; r < pack; ++r) {
      of_upper[r] = upper[r][c];
      of_lower[r] = lower[r][c];
    }
    copy_pack<pack>(a + times(j + c, n) + i, of_upper);
    copy_pack<pack>(a + times(i + c, n) + j, of_lower);
  }
}
// The same for a thread's elements above the diagonal.
template <class T>
__device__ void exchange_elements(T* a, int n, int i, int j) {
  using Shape = SquareShape<T, 1>;
  T upper[Shape::items] = {}, lower[Shape::items] = {};
#pragma unroll
  for (int k = 0; k < Shape::items; ++k) {
    const int row = i + k * Shape::stretch;
    if (row >= j) break;
    upper[k] = a[times(row, n) + j];
    lower[k] = a[times(j, n) + row];
  }
#pragma unroll
  for (int k = 0; k < Shape::items; ++k) {
    const int row = i + k * Shape::stretch;
    if (row >= j) break;
    a[times(j, n) + row] = upper[k];
    a[times(row, n) + j] = lower[k];
  }
}

// Eight blocks a multiprocessor: 64 registers a thread, as many as Kokkos's range has.
template <bool whole, class T>
__global__ void __launch_bounds__(SquareShape<T>::threads, 8)
    squares_in_place_kernel(Places<T> s, int line, int matrix) {
  using Shape = std::conditional_t<whole, SquareShape<T>, SquareShape<T, 1>>;
  const int thread = threadIdx.x, n = s.nx;
  const Tile at = Shape::pairs(n).at(blockIdx.x / Shape::parts, line + blockIdx.y);
  const int i = at.row * Shape::tile_rows + Shape::row(thread);
  const int j = at.col * Shape::tile_rows + blockIdx.x % Shape::parts * Shape::tile_columns +
                Shape::column(thread);
  if (i > j || j >= n) return;
  T* const a = s.row_of_a(matrix + blockIdx.z, 0);
  if constexpr (whole) {
    exchange_squares(a, n, i, j);
  } else {
    exchange_elements(a, n, i, j);
  }
}

}  // namespace portcost::transpose
