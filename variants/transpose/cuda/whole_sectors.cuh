// SPDX-License-Identifier: Apache-2.0
// Native kernel of whole_sectors, for whole matrices (Places) and for their blocks.
#pragma once

#include <algorithm>

#include "src/memory/stream.hpp"
#include "variants/shared/cuda_attributes.cuh"
#include "variants/transpose/cuda/bands.cuh"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

// Loads rows of A from i0 - most on, except rows outside the matrix or past the tile.
template <template <class> class At, class T>
__device__ void load_rows(const At<T>& s, T* scratch, int m, int i0, int most, int end, int j0) {
  using Shape = SectorShape<T>;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int j = j0 + lane;
  T own[Shape::rows][Shape::columns] = {};
  auto from = s.rows_of_a(m, i0 + warp, most, j, Shape::warps);
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r, from.next()) {
    const bool in_a = in(i0 - most + warp + r * Shape::warps, end);
#pragma unroll
    for (int c = 0; c < Shape::columns; ++c) {
      if (in_a && j + c * lanes < s.nx) own[r][c] = from.row[c * lanes];
    }
  }
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int row = warp + r * Shape::warps;
    if (row >= Shape::all_rows) break;
#pragma unroll
    for (int c = 0; c < Shape::columns; ++c) {
      scratch[(lane + c * lanes) * Shape::pitch + row] = own[r][c];
    }
  }
}

// Stores a piece of each row of B that begins `past` elements before the tile does.
template <template <class> class At, class T>
__device__ void store_sectors(const At<T>& s, const T* scratch, int m, int i0, int most, int j0) {
  using Shape = SectorShape<T>;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  auto to = s.rows_of_b(m, j0 + warp, Shape::warps);
#pragma unroll
  for (int r = 0; r < Shape::tile / Shape::warps; ++r, to.next()) {
    const int row = warp + r * Shape::warps;
    if (j0 + row >= s.nx) break;
    const int column = most - Shape::past(to.row) + lane, i = i0 - most + column;
    const T* const from = scratch + (row * Shape::pitch + column);
    T* const at = to.row + i;
#pragma unroll
    for (int c = 0; c < Shape::columns; ++c) {
      if (in(i + c * lanes, s.ny)) at[c * lanes] = from[c * lanes];
    }
  }
}

template <template <class> class At, class T>
__global__ void __launch_bounds__(SectorShape<T>::threads)
    sectors_kernel(At<T> s, int line, int matrix) {
  using Shape = SectorShape<T>;
  __shared__ T scratch[Shape::elements];
  const int m = matrix + blockIdx.z, most = Shape::most_past(s.step_b());
  const Tile at = TileOrder<At<T>::down>::at(blockIdx.x, line + blockIdx.y);
  const int i0 = at.row * Shape::tile, j0 = at.col * Shape::tile;
  load_rows(s, scratch, m, i0, most, min(s.ny, i0 + Shape::tile), j0);
  __syncthreads();
  store_sectors(s, scratch, m, i0, most, j0);
}

// Tells the driver the number of blocks that shared memory must hold; by default it is the number
// that registers allow.
template <template <class> class At, class T>
void leave_first_cache() {
  using Shape = SectorShape<T>;
  constexpr int reserved = 1024;  // bytes that CUDA takes for each block
  constexpr int bytes =
      Shape::at_a_time * (Shape::elements * static_cast<int>(sizeof(T)) + reserved);
  const int most = std::max(1, gpu_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  cuda_check(cudaFuncSetAttribute(sectors_kernel<At, T>,
                                  cudaFuncAttributePreferredSharedMemoryCarveout,
                                  std::min(100, ceil_div(100 * bytes, most))));
}

/// Enqueues the transposition of `batch` matrices. The driver is told once a process, which keeps
/// to one GPU.
template <template <class> class At, class T>
void launch_sectors(const At<T>& s, int batch, const Stream& stream) {
  using Shape = SectorShape<T>;
  using Order = TileOrder<At<T>::down>;
  if constexpr (Shape::at_a_time > 0) {
    [[maybe_unused]] static const bool told = (leave_first_cache<At, T>(), true);
  }
  const int columns = ceil_div(s.nx, Shape::tile), lines = Shape::lines(s.ny, s.step_b());
  for_bands(Order::fast(columns, lines), Order::slow(columns, lines), batch,
            [&](dim3 grid, int line, int m) {
              sectors_kernel<<<grid, dim3(lanes, Shape::warps), 0, stream.native()>>>(s, line, m);
            });
}

}  // namespace portcost::transpose
