// SPDX-License-Identifier: Apache-2.0
// Native kernels of registers and in_place_registers.
#pragma once

#include <type_traits>

#include "variants/transpose/bodies.hpp"

namespace portcost::transpose {

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
