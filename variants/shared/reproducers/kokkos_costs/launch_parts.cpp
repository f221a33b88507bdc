// SPDX-License-Identifier: Apache-2.0
// What Kokkos's launch of teams adds to a kernel on the device (CUDA alone). Graphs of 100 launches
// of a CUDA kernel alone, of the same with the parts of Kokkos's kernel (4.6,
// Kokkos_Cuda_Parallel_Team.hpp) one after another, and of Kokkos's. Each adds 1 to 128 numbers.
#include "timing.hpp"

using Numbers = Kokkos::View<int*>;

struct Add {
  Numbers numbers;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 128), [&](int i) { ++numbers(i); });
  }
};
constexpr std::size_t kokkos_bytes = sizeof(Kokkos::Impl::ParallelFor<Add, Teams<128>, Space>);
struct Arguments {
  Add add;
  char policy[kokkos_bytes - sizeof(Add) - 32];
  int league;
  std::size_t scratch_1, lock_count;  // bytes of scratch of level 1, and its locks
  std::int32_t* locks;
};
static_assert(sizeof(Arguments) == kokkos_bytes);

enum Part { arguments, level_1, loop };
__global__ void __launch_bounds__(128) alone(const Add add) { ++add.numbers(threadIdx.x); }
template <Part part>
__global__ void __launch_bounds__(128) with(const Arguments a) {
  const bool locked = part >= level_1 && a.scratch_1 > 0;
  std::int64_t lock = 0;
  if (locked) lock = Kokkos::Impl::cuda_get_scratch_index(a.league, a.locks, a.lock_count);
  if (part < loop) ++a.add.numbers(threadIdx.x);
  for (int team = blockIdx.x; part == loop && team < a.league; team += gridDim.x) {
    ++a.add.numbers(threadIdx.x);
  }
  if (locked) Kokkos::Impl::cuda_release_scratch_index(a.locks, lock);
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int nodes = size_from(argc, argv, 100);
  const Numbers numbers("numbers", 128);
  const Add add{numbers};
  const Arguments all{add, {}, 1, 0, 0, nullptr};
  const cudaStream_t stream = Space().cuda_stream();
  const auto right = KOKKOS_LAMBDA(std::int64_t i) { return numbers(i) == nodes; };
  const auto graph = [&](const char* what, const auto& launch) {
    time_graph(what, numbers, right, nodes, launch);
  };
  std::printf("graph of %d launches:\n", nodes);
  graph("the kernel alone", [&] { alone<<<1, 128, 0, stream>>>(add); });
  graph("and Kokkos's arguments", [&] { with<arguments><<<1, 128, 0, stream>>>(all); });
  graph("and scratch of level 1", [&] { with<level_1><<<1, 128, 0, stream>>>(all); });
  graph("and a loop over the league", [&] { with<loop><<<1, 128, 0, stream>>>(all); });
  graph("Kokkos", [&] { Kokkos::parallel_for(Teams<128>(1, 128), add); });
}
