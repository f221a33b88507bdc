// SPDX-License-Identifier: Apache-2.0
// Native GPU launches that begin before the launches they depend on have ended: CUDA's programmatic
// dependent launch.
#pragma once

#include "src/memory/cuda_check.hpp"

namespace portcost::gauss {

// For a kernel that is launched early. let_next_begin() allows the next launch to begin;
// wait_for_before() waits until all earlier launches have ended and their writes are visible.
__device__ __forceinline__ void let_next_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ __forceinline__ void wait_for_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}
// `early`: the launch may begin when all blocks of the launch before it on the stream have allowed
// it. In a graph this applies to its other dependencies, too: the kernel must spin on a flag
// (spin_until) before it reads their data ahead of wait_for_before().
template <class... Parameters, class... Arguments>
void launch(bool early, void (*kernel)(Parameters...), unsigned blocks, unsigned threads, int bytes,
            cudaStream_t stream, Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  cuda_check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

// Flags in global memory, which are 0 when a run begins: a launch publishes its progress in them
// before it ends, and another launch spins on them. All threads of a block call these.
__device__ __forceinline__ void publish(int* word, int add) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();  // the writes precede the flag
  atomicAdd(word, add);
}
__device__ __forceinline__ void spin_until(const int* word, int least) {
  if (threadIdx.x == 0) {
    while (*static_cast<const volatile int*>(word) < least) {
    }
    __threadfence();  // the reads follow the flag
  }
  __syncthreads();
}

}  // namespace portcost::gauss
