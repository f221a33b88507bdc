// SPDX-License-Identifier: Apache-2.0
// A team copies a tile of 34 x 18 to scratch and writes the inner 32 x 16 nodes: the tile as a View
// with run-time extents, as a View with fixed extents, and as a raw pointer.
#include "timing.hpp"

using Grid = Kokkos::View<float**, Kokkos::LayoutRight>;

struct Dynamic {
  Scratch<float**> tile;
  KOKKOS_FUNCTION explicit Dynamic(const Member& team) : tile(team.team_scratch(0), 18, 34) {}
  KOKKOS_FUNCTION float& at(int y, int x) const { return tile(y, x); }
};
struct Static {
  Scratch<float[18][34]> tile;
  KOKKOS_FUNCTION explicit Static(const Member& team) : tile(team.team_scratch(0)) {}
  KOKKOS_FUNCTION float& at(int y, int x) const { return tile(y, x); }
};
struct Pointer {
  float* tile;
  KOKKOS_FUNCTION explicit Pointer(const Member& team)
      : tile(static_cast<float*>(team.team_scratch(0).get_shmem(18 * 34 * sizeof(float)))) {}
  KOKKOS_FUNCTION float& at(int y, int x) const { return tile[y * 34 + x]; }
};

template <class Tile>
void run(const Grid& in, const Grid& out, int tiles) {
  Teams<128> policy(tiles * tiles, on_gpu ? 4 : 1, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(18 * 34 * sizeof(float) + 64));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Member& team) {
        const Tile tile(team);
        const int x0 = team.league_rank() % tiles * 32, y0 = team.league_rank() / tiles * 16;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 18 * 34), [&](int i) {
          tile.at(i / 34, i % 34) = in(y0 + i / 34, x0 + i % 34);
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 16 * 32), [&](int i) {
          const int y = i / 32 + 1, x = i % 32 + 1;
          out(y0 + y, x0 + x) = tile.at(y - 1, x) + tile.at(y + 1, x) + tile.at(y, x);
        });
      });
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int tiles = size_from(argc, argv, 448);
  const Grid in("in", tiles * 16 + 2, tiles * 32 + 2), out("out", tiles * 16 + 2, tiles * 32 + 2);
  time("scratch View, extents of run time", [&] { run<Dynamic>(in, out, tiles); });
  time("scratch View, fixed extents", [&] { run<Static>(in, out, tiles); });
  time("raw pointer into scratch", [&] { run<Pointer>(in, out, tiles); });
}
