// SPDX-License-Identifier: Apache-2.0
// 64-bit additions by all threads of a block to one word of its shared memory: by the address that
// the compiler knows to be shared, and by the same address in generic form. No Kokkos.
//
//   nvcc -arch=sm_90 -O3 generic_add.cu -o generic_add && ./generic_add
//   cuobjdump -sass generic_add | grep ATOM
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

using Word = unsigned long long;
constexpr unsigned blocks = 16, threads = 256, times = 16;
constexpr Word expected =
    Word{times} * (threads * (threads - 1) / 2) + Word{threads} * (times * (times - 1) / 2);

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "generic_add: %s\n", cudaGetErrorString(error));
  std::exit(3);
}

template <bool generic>
__global__ void add(Word* out, Word never) {
  __shared__ Word word;
  if (threadIdx.x == 0) word = 0;
  __syncthreads();
  Word* at = &word;
  if (generic) asm volatile("mov.u64 %0, %0;" : "+l"(at));  // what memory it is in is now unknown
  Word seen = 0;  // used, so that the additions return what was there, as the measured ones do
  for (unsigned k = 0; k < times; ++k) seen += atomicAdd(at, Word{threadIdx.x} + k);
  __syncthreads();
  if (threadIdx.x == 0 || seen == never) out[blockIdx.x] = word;
}

// The fastest of several runs; ends the program where a sum is wrong.
template <bool generic>
static void run(const char* name, Word* out) {
  float best = std::numeric_limits<float>::max();
  cudaEvent_t before = nullptr, after = nullptr;
  check(cudaEventCreate(&before));
  check(cudaEventCreate(&after));
  for (int turn = 0; turn < 20; ++turn) {
    check(cudaEventRecord(before));
    add<generic><<<blocks, threads>>>(out, std::numeric_limits<Word>::max());
    check(cudaGetLastError());
    check(cudaEventRecord(after));
    check(cudaEventSynchronize(after));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, before, after));
    best = std::min(best, milliseconds);
  }
  Word sums[blocks];
  check(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
  for (const Word sum : sums) {
    if (sum == expected) continue;
    std::fprintf(stderr, "generic_add: %s: a sum is %llu, not %llu\n", name, sum, expected);
    std::exit(1);
  }
  std::printf("%s: %.1f us\n", name, double{best} * 1e3);
}

int main() {
  Word* out = nullptr;
  check(cudaMalloc(&out, blocks * sizeof(Word)));
  run<false>("shared address", out);
  run<true>("generic address", out);
  check(cudaFree(out));
}
