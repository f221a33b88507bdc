// SPDX-License-Identifier: Apache-2.0
// The cost of Kokkos's launch of teams for a small kernel, part by part. A CUDA kernel transposes a
// tile of 32 x 32 numbers through shared memory; the parts of Kokkos's launch (4.6) are added to it
// one after another. Needs Kokkos with CUDA alone. Prints a JSON line a kernel and size.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr int lanes = 32, warps = 8, tile = 32, pitch = tile + 1, own = tile / warps;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "launch_parts: %s\n", cudaGetErrorString(error));
  std::exit(3);
}

// Division by `by` as a multiplication, for numbers and divisors below 2^15.
struct Divisor {
  unsigned multiplier;
  int by;
  explicit Divisor(int by_) : multiplier(((1u << 31) - 1) / by_ + 1), by(by_) {}
  KOKKOS_INLINE_FUNCTION int operator()(int of) const {
    return static_cast<int>((std::uint64_t{multiplier} * static_cast<unsigned>(of)) >> 31);
  }
};

// The kernel's work: 48 bytes, as in the kernels of transpose.
struct Work {
  const float* from;
  float* to;
  int n;
  Divisor columns, matrices;
  char rest[12];

  KOKKOS_INLINE_FUNCTION void load(float* scratch, int i0, int j0, int x, int y) const {
    float numbers[own];
    for (int r = 0; r < own; ++r) {
      numbers[r] = from[static_cast<std::int64_t>(i0 + y + r * warps) * n + j0 + x];
    }
    for (int r = 0; r < own; ++r) scratch[(y + r * warps) * pitch + x] = numbers[r];
  }
  KOKKOS_INLINE_FUNCTION void store(const float* scratch, int i0, int j0, int x, int y) const {
    for (int r = 0; r < own; ++r) {
      to[static_cast<std::int64_t>(j0 + y + r * warps) * n + i0 + x] =
          scratch[x * pitch + y + r * warps];
    }
  }
};

// ---- Kokkos.

using Policy =
    Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<lanes * warps>, Kokkos::IndexType<int>>;
constexpr int scratch_bytes = tile * pitch * static_cast<int>(sizeof(float));

struct Teams {
  Work work;

  KOKKOS_FUNCTION void operator()(const Policy::member_type& team) const {
    const int rank = team.league_rank(), matrix = work.matrices(rank);
    const int in_matrix = rank - matrix * work.matrices.by, line = work.columns(in_matrix);
    const int i0 = line * tile, j0 = (in_matrix - line * work.columns.by) * tile;
    auto* const scratch =
        static_cast<float*>(team.team_scratch(0).get_shmem(static_cast<int>(scratch_bytes)));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, lanes * warps),
                         [&](int item) { work.load(scratch, i0, j0, item % lanes, item / lanes); });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, lanes * warps), [&](int item) {
      work.store(scratch, i0, j0, item % lanes, item / lanes);
    });
  }
};

// ---- CUDA, with the parts of Kokkos's kernel (Kokkos_Cuda_Parallel_Team.hpp).

struct Arguments {
  Work work;
  char policy[72];
  unsigned league;
  int team;
  unsigned vector;
  int shared_begin, shared_bytes;
  void* scratch[2];
  std::size_t scratch_size[2];
  int pool;
  std::int32_t* locks;
  std::size_t lock_count;
};
static_assert(sizeof(Work) == 48);
static_assert(sizeof(Arguments) == sizeof(Kokkos::Impl::ParallelFor<Teams, Policy, Kokkos::Cuda>));

enum Part { nothing, arguments, late_word, code_of_level_1, tile_of_rank, loop };
constexpr const char* names[] = {
    "the kernel alone",
    "and 200 bytes of arguments",
    "and its 168th byte read first",
    "and the code for scratch of level 1 on the way",
    "and the tile found from a rank",
    "and a loop over the league",
};

__device__ void transpose_tile(const Work& work, int i0, int j0) {
  __shared__ float scratch[tile * pitch];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  work.load(scratch, i0, j0, x, y);
  __syncthreads();
  work.store(scratch, i0, j0, x, y);
}
__device__ void transpose_tile_of(const Work& work, int rank) {
  const int matrix = work.matrices(rank), in_matrix = rank - matrix * work.matrices.by;
  const int line = work.columns(in_matrix);
  transpose_tile(work, line * tile, (in_matrix - line * work.columns.by) * tile);
}

__global__ void __launch_bounds__(lanes* warps) alone(const Work work) {
  transpose_tile(work, static_cast<int>(blockIdx.y) * tile, static_cast<int>(blockIdx.x) * tile);
}
template <Part part>
__global__ void __launch_bounds__(lanes* warps) with(const Arguments a) {
  std::int64_t lock = 0;
  if constexpr (part >= code_of_level_1) {
    if (a.scratch_size[1] > 0) {
      lock = Kokkos::Impl::cuda_get_scratch_index(a.league, a.locks, a.lock_count);
    }
  } else if constexpr (part >= late_word) {
    if (a.scratch_size[1] > 0) return;
  }
  if constexpr (part >= loop) {
    const int league = static_cast<int>(a.league);
    for (int rank = static_cast<int>(blockIdx.x); rank < league;
         rank += static_cast<int>(gridDim.x)) {
      transpose_tile_of(a.work, rank);
    }
  } else if constexpr (part >= tile_of_rank) {
    transpose_tile_of(a.work, static_cast<int>(blockIdx.x));
  } else {
    transpose_tile(a.work, static_cast<int>(blockIdx.y) * tile,
                   static_cast<int>(blockIdx.x) * tile);
  }
  if constexpr (part >= code_of_level_1) {
    if (a.scratch_size[1] > 0) Kokkos::Impl::cuda_release_scratch_index(a.locks, lock);
  }
}

// Empties the caches: reads and writes more than the last-level cache holds.
__global__ void sweep(float* numbers, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    numbers[i] += 1;
  }
}

// ---- Measuring.

struct Kernel {
  std::string name;
  std::function<void()> launch;
  std::vector<float> microseconds;
};

std::vector<Kernel> kernels_of(const Work& work, const Kokkos::Cuda& space) {
  const cudaStream_t stream = space.cuda_stream();
  const auto side = static_cast<unsigned>(work.n / tile);
  const dim3 grid(side, side), block(lanes, warps), league(side * side);
  const Arguments a{work, {}, league.x, warps, lanes, 80, scratch_bytes + 8, {}, {}, 0, nullptr, 0};
  return {
      {names[nothing], [=] { alone<<<grid, block, 0, stream>>>(work); }, {}},
      {names[arguments], [=] { with<arguments><<<grid, block, 0, stream>>>(a); }, {}},
      {names[late_word], [=] { with<late_word><<<grid, block, 0, stream>>>(a); }, {}},
      {names[code_of_level_1], [=] { with<code_of_level_1><<<grid, block, 0, stream>>>(a); }, {}},
      {names[tile_of_rank], [=] { with<tile_of_rank><<<league, block, 0, stream>>>(a); }, {}},
      {names[loop], [=] { with<loop><<<league, block, 0, stream>>>(a); }, {}},
      {"Kokkos",
       [=] {
         const Policy policy = Policy(space, static_cast<int>(league.x), warps, lanes)
                                   .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes + 8));
         Kokkos::parallel_for("launch_parts", policy, Teams{work});
       },
       {}}};
}

bool right(const Kernel& kernel, const Work& work, const std::vector<float>& given) {
  const auto n = static_cast<std::size_t>(work.n);
  std::vector<float> found(given.size());
  check(cudaMemset(work.to, 0xFF, given.size() * sizeof(float)));
  kernel.launch();
  check(cudaDeviceSynchronize());
  check(cudaMemcpy(found.data(), work.to, given.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (found[j * n + i] != given[i * n + j]) return false;
    }
  }
  return true;
}

// Runs each kernel after a sweep, in rounds whose order rotates.
void measure(std::vector<Kernel>& kernels, int rounds, cudaStream_t stream) {
  constexpr std::size_t count = std::size_t{96} << 20;
  float* numbers = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaMalloc(&numbers, count * sizeof(float)));
  check(cudaMemset(numbers, 0, count * sizeof(float)));
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  for (std::size_t turn = 0; turn < static_cast<std::size_t>(rounds) * kernels.size(); ++turn) {
    Kernel& kernel = kernels[(turn + turn / kernels.size()) % kernels.size()];
    float milliseconds = 0;
    sweep<<<1056, 256, 0, stream>>>(numbers, count);
    check(cudaEventRecord(begin, stream));
    kernel.launch();
    check(cudaEventRecord(end, stream));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    kernel.microseconds.push_back(1000 * milliseconds);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  check(cudaFree(numbers));
}

// The mean of the middle half: events have steps of 32 ns, which a median would show.
double middle(std::vector<float> times) {
  std::sort(times.begin(), times.end());
  const auto quarter = static_cast<std::ptrdiff_t>(times.size() / 4);
  return std::accumulate(times.begin() + quarter, times.end() - quarter, 0.0) /
         static_cast<double>(times.size() - 2 * static_cast<std::size_t>(quarter));
}

bool measure_size(int n, int rounds, const Kokkos::Cuda& space) {
  const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<float> given(count);
  for (std::size_t i = 0; i < count; ++i) given[i] = static_cast<float>(i);
  float *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, count * sizeof(float)));
  check(cudaMalloc(&to, count * sizeof(float)));
  check(cudaMemcpy(from, given.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  const int side = n / tile;
  const Work work{from, to, n, Divisor(side), Divisor(side * side), {}};
  std::vector<Kernel> kernels = kernels_of(work, space);
  bool all_right = true;
  for (const Kernel& kernel : kernels) all_right = all_right && right(kernel, work, given);
  if (all_right) measure(kernels, rounds, space.cuda_stream());
  for (const Kernel& kernel : kernels) {
    if (!all_right) break;
    const double time = middle(kernel.microseconds), first = middle(kernels[0].microseconds);
    std::printf(
        "{\"n\":%d,\"kernel\":\"%s\",\"us\":%.3f,\"more_us\":%.3f,\"times\":%.4f,\"rounds\":%d}\n",
        n, kernel.name.c_str(), time, time - first, time / first, rounds);
  }
  check(cudaFree(from));
  check(cudaFree(to));
  return all_right;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 400;
  if (rounds < 4 || argc > 2) {
    std::fprintf(stderr, "usage: launch_parts [ROUNDS, at least 4 (default 400)]\n");
    return 2;
  }
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::Cuda space;
  for (const int n : {64, 256, 512, 1024}) {
    if (!measure_size(n, rounds, space)) {
      std::fprintf(stderr, "launch_parts: a wrong answer at n = %d\n", n);
      return 1;
    }
  }
  return 0;
}
