// SPDX-License-Identifier: Apache-2.0
// Portable variants: a tile a team, a number an index. Each index takes its own branch and makes
// its own trips; what that costs is up to the backend.
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

}  // namespace

Rungs kokkos_rungs() {
  return every_step([]<class Body, bool transposed>(Step<Body, transposed>,
                                                    const char* name) -> Rungs {
    const std::string label = std::string("portcost::divergence::") + name;
    return {rung(works, name, [label](const Work& s, const Stream& on) {
      using Made = Map<Body, transposed>;
      Kokkos::parallel_for(label, Made::On::policy(on, static_cast<int>(tiles_of(s.n))), Made{s});
    })};
  });
}

}  // namespace portcost::divergence
