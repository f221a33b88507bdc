// SPDX-License-Identifier: Apache-2.0
// For these programs: the time of a kernel, its answer, and a size as the first argument.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using Space = Kokkos::DefaultExecutionSpace;
template <int threads, int teams = 0>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, teams>>;
using Member = Teams<32>::member_type;
template <class Array>
using Scratch = Kokkos::View<Array, Kokkos::LayoutRight, Space::scratch_memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Prints the microseconds of a call of f, from 20 calls in a row after a first call.
template <class F>
void time(const char* what, const F& f) {
  f();
  Kokkos::fence();
  const Kokkos::Timer timer;
  for (int i = 0; i < 20; ++i) f();
  Kokkos::fence();
  std::printf("%-52s %10.2f us\n", what, timer.seconds() / 20 * 1e6);
}

template <class Right>
struct Wrong {
  Right right;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const { count += !right(i); }
};

/// The same where a call writes `out`, whose numbers are 0 before. Exits with 1 unless right(i)
/// holds after a call for each i < out.size().
template <class Out, class Right, class F>
void time(const char* what, const Out& out, const Right& right, const F& f) {
  using Range = Kokkos::RangePolicy<Kokkos::IndexType<std::int64_t>>;
  Kokkos::deep_copy(out, 0);
  f();
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(Range(0, out.size()), Wrong<Right>{right}, wrong);
  if (wrong > 0) {
    std::fprintf(stderr, "%s: %lld answers are wrong\n", what, static_cast<long long>(wrong));
    std::exit(1);
  }
  time(what, f);
}

/// The same for `count` calls of launch.
template <class Out, class Right, class F>
void time_in_turn(const char* what, const Out& out, const Right& right, int count,
                  const F& launch) {
  const auto all = [&] {
    for (int i = 0; i < count; ++i) launch();
  };
  time(what, out, right, all);
}

#ifdef KOKKOS_ENABLE_CUDA
/// The same for a CUDA graph of `nodes` launches, each after the one before. launch(): a launch on
/// the stream of the default instance.
template <class Out, class Right, class F>
void time_graph(const char* what, const Out& out, const Right& right, int nodes, const F& launch) {
  const cudaStream_t stream = Space().cuda_stream();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runs = nullptr;
  launch();  // allocates what a capture must not
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < nodes; ++i) launch();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&runs, graph, 0);
  time(what, out, right, [&] { cudaGraphLaunch(runs, stream); });
}
#endif

inline int size_from(int argc, char** argv, int size) {
  return argc > 1 ? std::atoi(argv[1]) : size;
}
inline constexpr bool on_gpu =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;

/// Tells nvcc the size of a team, which Kokkos does not pass on.
template <unsigned threads, unsigned lanes>
KOKKOS_FUNCTION void tell_team_size() {
#ifdef KOKKOS_ENABLE_CUDA
  KOKKOS_IF_ON_DEVICE((__builtin_assume(blockDim.x == lanes); __builtin_assume(threadIdx.x < lanes);
                       __builtin_assume(blockDim.y == threads);
                       __builtin_assume(threadIdx.y < threads);))
#endif
}
