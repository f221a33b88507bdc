// SPDX-License-Identifier: Apache-2.0
// Native kernel of bulk_copies, for GPUs of compute capability 9.0 and up.
#pragma once

#include <cuda/ptx>

#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

// Copies rows of a tile to shared memory, transposes squares there, and copies rows of the
// transposed tile to B. Addresses and lengths of rows are multiples of 16 bytes.
template <class T>
__global__ void __launch_bounds__(BulkShape<T>::threads)
    bulk_kernel(Places<T> s, int line, int matrix) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  namespace ptx = cuda::ptx;
  using Shape = BulkShape<T>;
  constexpr int pack = Shape::pack;
  alignas(16) __shared__ T scratch[Shape::elements];
  __shared__ std::uint64_t arrived;
  const int thread = threadIdx.x;
  const Tile at = Shape::Order::at(blockIdx.x, line + blockIdx.y);
  const int m = matrix + blockIdx.z, i0 = at.row * Shape::tile, j0 = at.col * Shape::tile;
  const int rows = min(Shape::tile, s.ny - i0), columns = min(Shape::tile, s.nx - j0);
  if (thread == 0) {
    ptx::mbarrier_init(&arrived, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (thread < rows) {
    const auto bytes = static_cast<std::uint32_t>(columns * sizeof(T));
    if (thread == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                     static_cast<std::uint32_t>(rows) * bytes);
    }
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, scratch + thread * Shape::pitch,
                       s.row_of_a(m, i0 + thread) + j0, bytes, &arrived);
  }
  while (!ptx::mbarrier_try_wait_parity(&arrived, 0)) {
  }
  const int i = Shape::row(thread), j = Shape::column(thread);
  alignas(16) T own[pack][pack];
#pragma unroll
  for (int r = 0; r < pack; ++r) copy_pack<pack>(own[r], scratch + (i + r) * Shape::pitch + j);
  __syncthreads();
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    alignas(16) T column[pack];
#pragma unroll
    for (int r = 0; r < pack; ++r) column[r] = own[r][c];
    copy_pack<pack>(scratch + (j + c) * Shape::pitch + i, column);
  }
  ptx::fence_proxy_async(ptx::space_shared);  // the copies below read these stores
  __syncthreads();
  if (thread < columns) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, s.row_of_b(m, j0 + thread) + i0,
                       scratch + thread * Shape::pitch,
                       static_cast<std::uint32_t>(rows * sizeof(T)));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());  // scratch is freed when the block ends
  }
#endif
}

}  // namespace portcost::transpose
