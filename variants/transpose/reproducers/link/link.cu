// SPDX-License-Identifier: Apache-2.0
// The bandwidth of the link between two GPUs, by who copies: engines, a kernel's loads from the
// neighbour, its stores to the neighbour, and a kernel's bulk copies both ways; one direction
// alone, and both at once. See README.md.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "link: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}
#define CHECK(call) check(call, #call)

// A block of 512 MiB whose rows are contiguous at the source and further apart at the target, like
// the part of a transposed matrix that comes from one of two GPUs.
constexpr int rows = 8192;
constexpr std::size_t row_bytes = 64 << 10, target_pitch = 128 << 10;
constexpr std::size_t bytes = rows * row_bytes;
constexpr std::size_t words = bytes / sizeof(uint4);
constexpr int row_words = row_bytes / sizeof(uint4), pitch_words = target_pitch / sizeof(uint4);

struct Gpu {
  uint4 *source, *target;
  cudaStream_t stream;
};
Gpu gpus[2];

__device__ std::uint32_t number(std::size_t word, int gpu) {
  return static_cast<std::uint32_t>(word * 2654435761u) + static_cast<std::uint32_t>(gpu);
}
__global__ void fill(uint4* source, int gpu) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += step) {
    const std::uint32_t n = number(i, gpu);
    source[i] = {n, n + 1, n + 2, n + 3};
  }
}
__global__ void count_wrong(const uint4* target, int gpu, unsigned long long* wrong) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += step) {
    const uint4 found = target[i / row_words * pitch_words + i % row_words];
    const std::uint32_t n = number(i, gpu);
    if (found.x != n || found.y != n + 1 || found.z != n + 2 || found.w != n + 3) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

// 16 bytes an access, four in flight for each thread.
__global__ void __launch_bounds__(1024) copy_words(uint4* target, const uint4* source) {
  constexpr int at_once = 4;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x * at_once;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x * at_once + threadIdx.x;
  for (; i < words; i += step) {
    uint4 own[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const std::size_t at = i + std::size_t{blockDim.x} * k;
      if (at < words) own[k] = source[at];
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const std::size_t at = i + std::size_t{blockDim.x} * k;
      if (at < words) target[at / row_words * pitch_words + at % row_words] = own[k];
    }
  }
}

// The engine for bulk copies between global and shared memory: pieces of 16 KiB, three in flight to
// each block while one is stored.
constexpr int piece = 16 << 10, stages = 4, pieces = bytes / piece;
__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}
__global__ void copy_bulk(std::byte* target, const std::byte* source) {
  extern __shared__ __align__(128) std::byte buffer[];
  __shared__ __align__(8) std::uint64_t arrived[stages];
  for (int s = 0; s < stages; ++s) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(arrived + s)));
  }
  asm volatile("fence.mbarrier_init.release.cluster;");
  asm volatile("fence.proxy.async.shared::cta;");
  const int first = static_cast<int>(blockIdx.x), step = static_cast<int>(gridDim.x);
  const auto load = [&](int turn) {
    const int at = first + turn * step, stage = turn % stages;
    if (at >= pieces) return;
    asm volatile(
        "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(arrived + stage)),
        "r"(piece)
        : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(buffer + stage * piece)),
        "l"(source + std::size_t{piece} * at), "r"(piece), "r"(shared_address(arrived + stage))
        : "memory");
  };
  for (int turn = 0; turn < stages - 1; ++turn) load(turn);
  for (int turn = 0; first + turn * step < pieces; ++turn) {
    const int at = first + turn * step, stage = turn % stages;
    const std::uint32_t phase = turn / stages % 2;
    for (std::uint32_t there = 0; there == 0;) {
      asm volatile(
          "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p;\n}"
          : "=r"(there)
          : "r"(shared_address(arrived + stage)), "r"(phase)
          : "memory");
    }
    constexpr int in_a_row = row_bytes / piece;
    std::byte* const to =
        target + at / in_a_row * target_pitch + at % in_a_row * std::size_t{piece};
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(buffer + stage * piece)), "r"(piece)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    load(turn + stages - 1);
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// The work that the GPU `by` enqueues: it fetches the other GPU's block, or stores its own there.
using Form = void (*)(const Gpu& by, uint4* target, const uint4* source);
void by_engine(const Gpu& by, uint4* target, const uint4* source) {
  CHECK(cudaMemcpy2DAsync(target, target_pitch, source, row_bytes, row_bytes, rows,
                          cudaMemcpyDeviceToDevice, by.stream));
}
void by_kernel(const Gpu& by, uint4* target, const uint4* source) {
  copy_words<<<264, 1024, 0, by.stream>>>(target, source);
}
void by_bulk(const Gpu& by, uint4* target, const uint4* source) {
  copy_bulk<<<132, 1, stages * piece, by.stream>>>(reinterpret_cast<std::byte*>(target),
                                                   reinterpret_cast<const std::byte*>(source));
}

void wait_for_both() {
  for (int gpu = 0; gpu < 2; ++gpu) {
    CHECK(cudaSetDevice(gpu));
    CHECK(cudaDeviceSynchronize());
  }
}

// Microseconds from the host's first call until both GPUs are ready.
double run_us(Form form, bool fetches, int directions) {
  wait_for_both();
  const auto begin = std::chrono::steady_clock::now();
  for (int gpu = 0; gpu < directions; ++gpu) {
    CHECK(cudaSetDevice(gpu));
    const Gpu &mine = gpus[gpu], &other = gpus[1 - gpu];
    form(mine, fetches ? mine.target : other.target, fetches ? other.source : mine.source);
    CHECK(cudaGetLastError());
  }
  wait_for_both();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

unsigned long long wrong_words(bool fetches, int directions) {
  unsigned long long result = 0;
  for (int by = 0; by < directions; ++by) {
    const int gpu = fetches ? by : 1 - by;  // whose target was written
    CHECK(cudaSetDevice(gpu));
    unsigned long long *count, wrong;
    CHECK(cudaMalloc(&count, sizeof *count));
    CHECK(cudaMemset(count, 0, sizeof *count));
    count_wrong<<<1024, 256>>>(gpus[gpu].target, 1 - gpu, count);
    CHECK(cudaMemcpy(&wrong, count, sizeof wrong, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(count));
    CHECK(cudaMemset(gpus[gpu].target, 0xff, rows * target_pitch));
    result += wrong;
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 21;
  if (argc > 2 || runs < 1) {
    std::fprintf(stderr, "usage: link [RUNS], a number from 1 on\n");
    return 2;
  }
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count < 2) {
    std::fprintf(stderr, "link: two GPUs are needed, %d found\n", count);
    return 3;
  }
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  for (int gpu = 0; gpu < 2; ++gpu) {
    CHECK(cudaSetDevice(gpu));
    CHECK(cudaDeviceEnablePeerAccess(1 - gpu, 0));
    CHECK(cudaMalloc(&gpus[gpu].source, bytes));
    CHECK(cudaMalloc(&gpus[gpu].target, rows * target_pitch));
    CHECK(cudaStreamCreateWithFlags(&gpus[gpu].stream, cudaStreamNonBlocking));
    CHECK(cudaFuncSetAttribute(copy_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               stages * piece));
    fill<<<1024, 256>>>(gpus[gpu].source, gpu);
    CHECK(cudaMemset(gpus[gpu].target, 0xff, rows * target_pitch));
  }
  struct Named {
    const char* name;
    Form form;
    bool fetches;
  };
  constexpr Named forms[] = {
      {"copy engine, fetching", by_engine, true},    {"copy engine, bringing", by_engine, false},
      {"loads from the neighbour", by_kernel, true}, {"stores to the neighbour", by_kernel, false},
      {"bulk copies from it", by_bulk, true},        {"bulk copies to it", by_bulk, false}};
  bool all_right = true;
  for (int directions = 1; directions <= 2; ++directions) {
    for (const Named& one : forms) {
      std::vector<double> times;
      run_us(one.form, one.fetches, directions);
      for (int i = 0; i < runs; ++i) times.push_back(run_us(one.form, one.fetches, directions));
      std::sort(times.begin(), times.end());
      const double median = times[times.size() / 2];
      const unsigned long long wrong = wrong_words(one.fetches, directions);
      all_right = all_right && wrong == 0;
      std::printf(
          "{\"gpu\": \"%s\", \"form\": \"%s\", \"directions\": %d, \"bytes\": %zu, \"runs\": %d, "
          "\"us\": %.1f, \"least us\": %.1f, \"GB/s each way\": %.1f, \"wrong\": %llu}\n",
          properties.name, one.name, directions, bytes, runs, median, times.front(),
          static_cast<double>(bytes) / median * 1e-3, wrong);
    }
  }
  return all_right ? 0 : 1;
}
