// SPDX-License-Identifier: Apache-2.0
// Native kernel of whole_sectors, for whole matrices (Places) and for blocks of them.
#pragma once

#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

// Rows of A from i0 on, of which those outside the matrix or past the tile are left out.
template <template <class> class At, class T>
__device__ void load_rows(const At<T>& s, T* scratch, int m, int i0, int end, int j0) {
  using Shape = SectorShape<T>;
  T own[Shape::rows][Shape::columns] = {};
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int i = i0 + threadIdx.y + r * Shape::warps;
#pragma unroll
    for (int c = 0; c < Shape::columns; ++c) {
      const int j = j0 + threadIdx.x + c * lanes;
      if (i >= 0 && i < end && j < s.nx) own[r][c] = s.row_of_a(m, i)[j];
    }
  }
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int row = threadIdx.y + r * Shape::warps;
    if (row >= Shape::all_rows) break;
#pragma unroll
    for (int c = 0; c < Shape::columns; ++c) {
      scratch[(threadIdx.x + c * lanes) * Shape::pitch + row] = own[r][c];
    }
  }
}

// Of each row of B a stretch that begins `past` elements before the tile does.
template <template <class> class At, class T>
__device__ void store_sectors(const At<T>& s, const T* scratch, int m, int i0, int most, int j0) {
  using Shape = SectorShape<T>;
#pragma unroll
  for (int r = 0; r < Shape::tile / Shape::warps; ++r) {
    const int row = threadIdx.y + r * Shape::warps;
    if (j0 + row >= s.nx) break;
    T* const to = s.row_of_b(m, j0 + row);
    const int first = most - Shape::past(to) + threadIdx.x;
#pragma unroll
    for (int c = 0; c < Shape::columns; ++c) {
      const int column = first + c * lanes, i = i0 + column;
      if (i >= 0 && i < s.ny) to[i] = scratch[row * Shape::pitch + column];
    }
  }
}

template <template <class> class At, class T>
__global__ void __launch_bounds__(SectorShape<T>::threads)
    sectors_kernel(At<T> s, int line, int matrix) {
  using Shape = SectorShape<T>;
  __shared__ T scratch[Shape::elements];
  const int m = matrix + blockIdx.z, most = Shape::most_past(s.step_b());
  const Tile at = Shape::Order::at(blockIdx.x, line + blockIdx.y);
  const int i0 = at.row * Shape::tile - most, j0 = at.col * Shape::tile;
  load_rows(s, scratch, m, i0, min(s.ny, i0 + most + Shape::tile), j0);
  __syncthreads();
  store_sectors(s, scratch, m, i0, most, j0);
}

}  // namespace portcost::transpose
