// SPDX-License-Identifier: Apache-2.0
// Native kernel of whole_matrices.
#pragma once

#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

// A chunk of A, whole matrices, goes through shared memory to the same chunk of B.
template <class T>
__global__ void __launch_bounds__(SmallMatrices<T>::threads, SmallMatrices<T>::held)
    matrices_kernel(Places<T> s, SmallMatrices<T> small) {
  using Small = SmallMatrices<T>;
  __shared__ T scratch[Small::room];
  const std::uint64_t first = small.first(blockIdx.x);
  const int count = small.count(first);
  const T* const from = s.a + first;
  T* const to = s.b + first;
  T own[Small::own] = {};
#pragma unroll
  for (int k = 0; k < Small::own; ++k) {
    const int at = threadIdx.x + k * Small::threads;
    if (at < count) own[k] = from[at];
  }
#pragma unroll
  for (int k = 0; k < Small::own; ++k) {
    const int at = threadIdx.x + k * Small::threads;
    if (at >= count) break;
    scratch[small.place(at)] = own[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Small::own; ++k) {
    const int at = threadIdx.x + k * Small::threads;
    if (at >= count) break;
    to[at] = scratch[small.source(at)];
  }
}

}  // namespace portcost::transpose
