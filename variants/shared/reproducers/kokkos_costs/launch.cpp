// SPDX-License-Identifier: Apache-2.0
// 100 kernels that add 1 to 128 numbers, launched one after another: by RangePolicy, by TeamPolicy
// and by CUDA; the same as Kokkos's graph, and on CUDA as graphs captured from launches.
#include "timing.hpp"

#if KOKKOS_VERSION >= 40500
#include <Kokkos_Graph.hpp>
#endif

using Range = Kokkos::RangePolicy<>;
using Numbers = Kokkos::View<int*>;

struct Add {
  Numbers numbers;
  KOKKOS_FUNCTION void operator()(int i) const { ++numbers(i); }
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 128), [&](int i) { ++numbers(i); });
  }
};
#ifdef KOKKOS_ENABLE_CUDA
__global__ void kernel(const Add add) { add(static_cast<int>(threadIdx.x)); }
#endif

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int nodes = size_from(argc, argv, 100);
  const Space space;
  const Numbers numbers("numbers", 128);
  const Add add{numbers};
  const Teams<128> teams(space, 1, on_gpu ? 128 : 1);
  const auto right = KOKKOS_LAMBDA(std::int64_t i) { return numbers(i) == nodes; };
  const auto in_turn = [&](const char* what, const auto& launch) {
    time_in_turn(what, numbers, right, nodes, launch);
  };
  std::printf("%d launches:\n", nodes);
  in_turn("RangePolicy", [&] { Kokkos::parallel_for(Range(space, 0, 128), add); });
  in_turn("TeamPolicy", [&] { Kokkos::parallel_for(teams, add); });
#if KOKKOS_VERSION >= 40500
  const auto graph = Kokkos::Experimental::create_graph(space, [&](const auto& root) {
    Kokkos::Experimental::GraphNodeRef<Space> last = root;
    for (int i = 0; i < nodes; ++i) last = last.then_parallel_for("add", teams, add);
  });
  time("TeamPolicy, Kokkos's graph", numbers, right, [&] { graph.submit(space); });
#endif
#ifdef KOKKOS_ENABLE_CUDA
  const cudaStream_t stream = space.cuda_stream();
  const auto launch = [&] { kernel<<<1, 128, 0, stream>>>(add); };
  in_turn("CUDA", launch);
  time_graph("TeamPolicy, CUDA's graph", numbers, right, nodes, [&] { parallel_for(teams, add); });
  time_graph("CUDA, CUDA's graph", numbers, right, nodes, launch);
#endif
}
