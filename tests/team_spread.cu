// SPDX-License-Identifier: Apache-2.0
#include "tests/compiled_apart.hpp"

#include <algorithm>
#include <cstddef>

#include "src/memory/buffer.hpp"
#include "src/memory/cuda_check.hpp"
#include "variants/in_flight/problem.hpp"

namespace portcost::test {

namespace {

constexpr unsigned long long most_ns = 20'000'000;

__device__ unsigned long long now_ns() {
  unsigned long long result;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(result));
  return result;
}

__global__ void __launch_bounds__(in_flight::threads, in_flight::most_threads / in_flight::threads)
    meet_kernel(int* multiprocessors, int* alone, int* arrived) {
  if (threadIdx.x == 0) {
    unsigned at = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(at));
    multiprocessors[blockIdx.x] = static_cast<int>(at);
    atomicAdd(arrived, 1);
    const unsigned long long start = now_ns();
    int there = 0;
    do {
      there = *static_cast<volatile int*>(arrived);
    } while (there < static_cast<int>(gridDim.x) && now_ns() - start < most_ns);
    if (there < static_cast<int>(gridDim.x)) atomicAdd(alone, 1);
  }
  __syncthreads();
}

}  // namespace

Spread spread_of(int blocks, const Stream& stream) {
  Buffer<int> places(static_cast<std::size_t>(blocks), Place::device);
  Buffer<int> counts(2, Place::device);
  counts.upload(std::vector<int>{0, 0}, stream);
  meet_kernel<<<static_cast<unsigned>(blocks), in_flight::threads, 0, stream.native()>>>(
      places.data(), counts.data(), counts.data() + 1);
  cuda_check(cudaGetLastError());
  return {places.download(stream), counts.download(stream)[0] == 0};
}

}  // namespace portcost::test
