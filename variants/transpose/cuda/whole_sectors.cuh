// SPDX-License-Identifier: Apache-2.0
// Native kernel of whole_sectors, for whole matrices (Places) and for their blocks.
#pragma once

#include <algorithm>

#include "src/memory/stream.hpp"
#include "variants/shared/cuda_attributes.cuh"
#include "variants/shared/cuda_bands.cuh"
#include "variants/transpose/bodies.hpp"

namespace portcost::transpose {

template <template <class> class At, class T>
__global__ void __launch_bounds__(SectorShape<T>::threads)
    sectors_kernel(At<T> s, int line, int matrix) {
  using Shape = SectorShape<T>;
  __shared__ T scratch[Shape::elements];
  const int m = matrix + blockIdx.z, most = Shape::most_past(s.step_b());
  const Tile at = TileOrder<At<T>::down>::at(blockIdx.x, line + blockIdx.y);
  const int i0 = at.row * Shape::tile, j0 = at.col * Shape::tile;
  const int warp = static_cast<int>(threadIdx.y), lane = static_cast<int>(threadIdx.x);
  load_rows(s, scratch, warp, lane, m, i0, most, min(s.ny, i0 + Shape::tile), j0);
  __syncthreads();
  store_sectors(s, scratch, warp, lane, m, i0, most, j0);
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
