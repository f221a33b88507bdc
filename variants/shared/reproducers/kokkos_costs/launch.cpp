// SPDX-License-Identifier: Apache-2.0
// The time of an empty launch, one launch after another: RangePolicy, TeamPolicy, a functor of 8
// KiB, which goes through constant memory, and CUDA's own launch.
#include "timing.hpp"

using Team = Kokkos::TeamPolicy<>::member_type;

template <int words>
struct Functor {
  int data[words];
  int* out;
  KOKKOS_FUNCTION void operator()(int i) const {
    if (i < 0) *out = data[-i % words];
  }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (team.league_rank() < 0) *out = data[team.team_rank() % words];
  }
};

#ifdef KOKKOS_ENABLE_CUDA
__global__ void nothing(Functor<4> functor) { functor(static_cast<int>(threadIdx.x)); }
#endif

template <class F>
void hundred(const char* what, const F& f) {
  time(what, [&] {
    for (int i = 0; i < 100; ++i) f();
  });
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int n = size_from(argc, argv, 128);
  const Functor<4> small{};
  const Functor<2048> large{};
  std::printf("100 launches:\n");
  hundred("RangePolicy", [&] { Kokkos::parallel_for(Kokkos::RangePolicy<>(0, n), small); });
  hundred("TeamPolicy",
          [&] { Kokkos::parallel_for(Kokkos::TeamPolicy<>(1, on_gpu ? 128 : 1), small); });
  hundred("RangePolicy, functor of 8 KiB",
          [&] { Kokkos::parallel_for(Kokkos::RangePolicy<>(0, n), large); });
#ifdef KOKKOS_ENABLE_CUDA
  const cudaStream_t stream = Kokkos::DefaultExecutionSpace().cuda_stream();
  hundred("nothing<<<1, 128>>>", [&] { nothing<<<1, 128, 0, stream>>>(small); });
#endif
}
