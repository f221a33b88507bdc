// SPDX-License-Identifier: Apache-2.0
// Transposes a matrix that two GPUs of one process share, by the kernel of the steps over
// processes: half of the rows of the matrix and of its transposed are on each GPU. See README.md.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "variants/transpose/cuda/whole_sectors.cuh"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "one_process: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}
#define CHECK(call) check(call, #call)

using Shape = SectorShape<double>;
constexpr int n = 16384, half = n / 2;
constexpr std::size_t elements = std::size_t{n} * half;

struct Gpu {
  double *given, *transposed, *packed;  // half x n, half x n, and half x half for the neighbour
  cudaStream_t stream;
};
Gpu gpus[2];

__global__ void fill(double* rows, int first_row) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < elements;
       i += step) {
    rows[i] = static_cast<double>(std::size_t{n} * static_cast<std::size_t>(first_row) + i);
  }
}
__global__ void count_wrong(const double* rows, int first_row, unsigned long long* wrong) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < elements;
       i += step) {
    const std::size_t row = first_row + i / n, column = i % n;
    if (rows[i] != static_cast<double>(n * column + row)) atomicAdd(wrong, 1ULL);
  }
}

template <template <class> class At>
void launch(const At<double>& matrices, cudaStream_t stream) {
  using Order = TileOrder<At<double>::down>;
  const int columns = ceil_div(matrices.nx, Shape::tile);
  const int lines = Shape::lines(matrices.ny, matrices.step_b());
  sectors_kernel<At, double><<<dim3(Order::fast(columns, lines), Order::slow(columns, lines)),
                               dim3(lanes, Shape::warps), 0, stream>>>(matrices, 0, 0);
  CHECK(cudaGetLastError());
}

// One kernel a GPU stores half of what it transposes into the neighbour's memory.
void by_stores(int gpu) {
  RowsWithRanks<double> to{};
  for (int rank = 0; rank < 2; ++rank) to.begin[rank] = gpus[rank].transposed + gpu * half;
  to.pitch = n;
  to.share = to.rest = half;
  to.last = 1;
  const RowsToRanks<double> matrices{gpus[gpu].given, to, n, half, 0, n | gpu * half};
  launch(matrices, gpus[gpu].stream);
}

// The neighbour's block is transposed first and copied while the GPU's own block is transposed.
void by_peer_copies(int gpu) {
  const Gpu &mine = gpus[gpu], &other = gpus[1 - gpu];
  const auto block = [&](int column, double* to, int pitch) {
    return Submatrix<double>{mine.given + column, to, half, half, n, pitch, 0, 0};
  };
  launch(block((1 - gpu) * half, mine.packed, half), mine.stream);
  CHECK(cudaMemcpy2DAsync(other.transposed + gpu * half, n * sizeof(double), mine.packed,
                          half * sizeof(double), half * sizeof(double), half,
                          cudaMemcpyDeviceToDevice, mine.stream));
  launch(block(gpu * half, mine.transposed + gpu * half, n), nullptr);
}

void for_both(const auto& f) {
  for (int gpu = 0; gpu < 2; ++gpu) {
    CHECK(cudaSetDevice(gpu));
    f(gpu);
  }
}

// Microseconds from the host's first call until both GPUs have finished.
double run_us(void (*form)(int)) {
  for_both([](int) { CHECK(cudaDeviceSynchronize()); });
  const auto begin = std::chrono::steady_clock::now();
  for_both(form);
  for_both([](int) { CHECK(cudaDeviceSynchronize()); });
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

unsigned long long wrong_elements() {
  unsigned long long result = 0;
  for_both([&](int gpu) {
    unsigned long long *count, wrong;
    CHECK(cudaMalloc(&count, sizeof *count));
    CHECK(cudaMemset(count, 0, sizeof *count));
    count_wrong<<<1024, 256>>>(gpus[gpu].transposed, gpu * half, count);
    CHECK(cudaMemcpy(&wrong, count, sizeof wrong, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(count));
    result += wrong;
  });
  return result;
}

void prepare(int gpu) {
  Gpu& mine = gpus[gpu];
  CHECK(cudaDeviceEnablePeerAccess(1 - gpu, 0));
  CHECK(cudaMalloc(&mine.given, elements * sizeof(double)));
  CHECK(cudaMalloc(&mine.transposed, elements * sizeof(double)));
  CHECK(cudaMalloc(&mine.packed, elements / 2 * sizeof(double)));
  CHECK(cudaStreamCreateWithFlags(&mine.stream, cudaStreamNonBlocking));
  fill<<<1024, 256>>>(mine.given, gpu * half);
  // As launch_sectors, which tells the driver of one GPU alone.
  int most = 0;
  CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, gpu));
  const int bytes = Shape::at_a_time * (Shape::elements * static_cast<int>(sizeof(double)) + 1024);
  const auto leave_first_cache = [&](auto* kernel) {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                               std::min(100, ceil_div(100 * bytes, most))));
  };
  leave_first_cache(sectors_kernel<RowsToRanks, double>);
  leave_first_cache(sectors_kernel<Submatrix, double>);
}

int measure(int runs) {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  for_both(prepare);
  unsigned long long all_wrong = 0;
  constexpr struct {
    const char* name;
    void (*form)(int);
  } forms[] = {{"stores", by_stores}, {"peer copies", by_peer_copies}};
  for (const auto& [name, form] : forms) {
    for_both(
        [](int gpu) { CHECK(cudaMemset(gpus[gpu].transposed, 0xff, elements * sizeof(double))); });
    std::vector<double> times;
    run_us(form);
    for (int i = 0; i < runs; ++i) times.push_back(run_us(form));
    std::sort(times.begin(), times.end());
    const unsigned long long wrong = wrong_elements();
    all_wrong += wrong;
    std::printf(
        "{\"gpu\": \"%s\", \"form\": \"%s\", \"n\": %d, \"runs\": %d, \"us\": %.1f, "
        "\"least us\": %.1f, \"wrong\": %llu}\n",
        properties.name, name, n, runs, times[times.size() / 2], times.front(), wrong);
  }
  return all_wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace portcost::transpose

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 21;
  int count = 0;
  if (argc > 2 || runs < 1) {
    std::fprintf(stderr, "usage: one_process [RUNS], a number from 1 on\n");
    return 2;
  }
  if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2) {
    std::fprintf(stderr, "one_process: two GPUs are needed, %d found\n", count);
    return 3;
  }
  return portcost::transpose::measure(runs);
}
