// SPDX-License-Identifier: Apache-2.0
// A team of 128 threads copies 640 numbers to scratch and, after a barrier, back to memory: by a
// range of 640 items, by a range of 128 with five items each in registers, and with the team's size
// told to the compiler (CUDA alone). Only the second form has five loads of a thread in flight.
#include "timing.hpp"

using Numbers = Kokkos::View<float**, Kokkos::LayoutRight>;
using Tile = Scratch<float[640]>;
enum class Loop { plain, told, registers };

template <Loop loop>
void run(const Numbers& in, const Numbers& out) {
  Teams<128> policy(static_cast<int>(in.extent(0)), on_gpu ? 4 : 1, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(Tile::shmem_size()));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Member& team) {
        if (loop == Loop::told) tell_team_size<4, 32>();
        const int row = team.league_rank();
        const Tile tile(team.team_scratch(0));
        if (loop == Loop::registers) {
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 128), [&](int i) {
            float loaded[5];
            for (int k = 0; k < 5; ++k) loaded[k] = in(row, k * 128 + i);
            for (int k = 0; k < 5; ++k) tile(k * 128 + i) = loaded[k];
          });
        } else {
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 640),
                               [&](int i) { tile(i) = in(row, i); });
        }
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 640),
                             [&](int i) { out(row, i) = tile(639 - i); });
      });
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int teams = size_from(argc, argv, 1 << 18);
  const Numbers in("in", teams, 640), out("out", teams, 640);
  time("range of 640 items", [&] { run<Loop::plain>(in, out); });
  time("range of 640 items, team size known", [&] { run<Loop::told>(in, out); });
  time("range of 128 items, five loads each", [&] { run<Loop::registers>(in, out); });
}
