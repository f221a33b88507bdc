// SPDX-License-Identifier: Apache-2.0
// Native GPU launches that begin before those they wait for have ended: CUDA's programmatic
// dependent launch.
#pragma once

#include "src/memory/cuda_check.hpp"

namespace portcost::gauss {

// For a kernel that begins before those before it have ended (launch): the next one may begin; and
// it waits until all that those before it do is done.
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
// `early`: it may begin when all blocks of the launch before it on the stream have let it. In a
// graph that holds for whatever else it waits for, too: what it reads before wait_for_before() must
// be told of (wait_until).
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

// By words in global memory, 0 when a run begins, a launch is told of what another one has done
// before that ends. All threads of a block call these.
__device__ __forceinline__ void tell(int* word, int add) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();  // what is told was written before
  atomicAdd(word, add);
}
__device__ __forceinline__ void wait_until(const int* word, int least) {
  if (threadIdx.x == 0) {
    while (*static_cast<const volatile int*>(word) < least) {
    }
    __threadfence();  // what was told is read after it
  }
  __syncthreads();
}

}  // namespace portcost::gauss
