// SPDX-License-Identifier: Apache-2.0
// Portable variants: a tile a team, a number an index; or a slot an index, in tiles of any shape,
// which are blocks on a GPU. Each index takes its own branch and makes its own trips; what that
// costs is up to the backend.
#include "variants/divergence/kokkos/steps.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::divergence {

namespace {

template <class Body, bool transposed>
struct Map {
  using On = Teams<warps>;
  Work s;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::uint64_t first =
        std::uint64_t{static_cast<unsigned>(team.league_rank())} * unsigned{tile};
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, unsigned{tile}), [&](unsigned slot) {
      const unsigned position = position_of<transposed>(slot);
      const std::uint64_t i = first + position;
      if (i < s.n) s.out[i] = Body{}(s, position % lanes, s.in[i]);
    });
  }
};

template <class Body, bool transposed>
void in_blocks(const std::string& label, const Work& s, const Stream& on) {
  using Kokkos::Iterate;
  using Policy = Kokkos::MDRangePolicy<KokkosSpace, Kokkos::Rank<3, Iterate::Left, Iterate::Left>,
                                       Kokkos::IndexType<std::int64_t>>;
  using Point = typename Policy::point_type;
  const Block block = blocks[s.block];
  const std::int64_t x = block.x, y = block.y, z = block.z;
  const auto slots = static_cast<std::int64_t>(tiles_of(s.n) * tile);
  Kokkos::parallel_for(
      label,
      Policy(kokkos_space(on), Point{0, 0, 0}, Point{x, y, ceil_div(slots, x * y)}, {x, y, z}),
      KOKKOS_LAMBDA(std::int64_t ix, std::int64_t iy, std::int64_t iz) {
        const std::uint64_t i =
            number_of<transposed>(static_cast<std::uint64_t>(ix + x * (iy + y * iz)));
        if (i < s.n) s.out[i] = Body{}(s, i % lanes, s.in[i]);
      });
}

}  // namespace

Rungs kokkos_rungs() {
  return every_step([]<class Body, bool transposed>(Step<Body, transposed>,
                                                    const char* name) -> Rungs {
    // Appended, since g++ 12 falsely warns of operator+ here.
    const auto label = std::string("portcost::divergence::").append(name);
    return {rung(works, name, [label](const Work& s, const Stream& on) {
      if (s.block > 0) return in_blocks<Body, transposed>(label, s, on);
      using Made = Map<Body, transposed>;
      Kokkos::parallel_for(label, Made::On::policy(on, static_cast<int>(tiles_of(s.n))), Made{s});
    })};
  });
}

}  // namespace portcost::divergence
