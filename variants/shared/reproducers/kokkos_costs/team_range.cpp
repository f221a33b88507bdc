// SPDX-License-Identifier: Apache-2.0
// A team of 128 threads writes 512 numbers, four a thread, by a TeamVectorRange of 128 items:
// ranges of 32 and of 64 bits, and the team's size told to the compiler (CUDA alone).
#include <cstdint>

#include "timing.hpp"

using Policy = Kokkos::TeamPolicy<Kokkos::LaunchBounds<128>>;
using Member = Policy::member_type;
using Numbers = Kokkos::View<float*>;

template <class Index, bool told>
void run(const Numbers& out, int teams) {
  Kokkos::parallel_for(
      Policy(teams, on_gpu ? 4 : 1, 32), KOKKOS_LAMBDA(const Member& team) {
#ifdef KOKKOS_ENABLE_CUDA
        if (told) {
          KOKKOS_IF_ON_DEVICE(
              (__builtin_assume(blockDim.x == 32); __builtin_assume(blockDim.y == 4);
               __builtin_assume(threadIdx.x < 32); __builtin_assume(threadIdx.y < 4);))
        }
#endif
        const std::int64_t first = std::int64_t(512) * team.league_rank();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index(0), Index(128)), [&](Index i) {
          for (int k = 0; k < 4; ++k) out(first + k * 128 + i) = static_cast<float>(k);
        });
      });
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int teams = size_from(argc, argv, 1 << 19);
  const Numbers out("out", std::size_t{512} * teams);
  time("TeamVectorRange, int", [&] { run<int, false>(out, teams); });
  time("TeamVectorRange, int64", [&] { run<std::int64_t, false>(out, teams); });
  time("TeamVectorRange, int, team size known", [&] { run<int, true>(out, teams); });
  time("TeamVectorRange, int64, team size known", [&] { run<std::int64_t, true>(out, teams); });
  time("RangePolicy", [&] {
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Kokkos::IndexType<std::int64_t>>(0, std::int64_t{512} * teams),
        KOKKOS_LAMBDA(std::int64_t i) { out(i) = 1; });
  });
}
