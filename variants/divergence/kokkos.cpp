// SPDX-License-Identifier: Apache-2.0
// Portable variants: a tile a team, a number an index. Each index takes its own branch and makes
// its own trips; what that costs is up to the backend.
#include "variants/divergence/problem.hpp"
#include "variants/kokkos_legacy.hpp"

namespace portcost::divergence {

namespace {

struct Branch {
  KOKKOS_FUNCTION float operator()(const Work& s, unsigned lane, float x) const {
    if (lane < s.diverging) {
#pragma unroll 1
      for (unsigned k = 0; k < most_trips * s.trip; ++k) x = else_stretch(x);
    } else {
#pragma unroll 1
      for (unsigned k = 0; k < most_trips * s.trip; ++k) x = then_stretch(x);
    }
    return x;
  }
};

struct Loop {
  KOKKOS_FUNCTION float operator()(const Work& s, unsigned lane, float x) const {
    const unsigned trips = trips_of(lane);
#pragma unroll 1
    for (unsigned t = 0; t < trips; ++t) {
#pragma unroll 1
      for (unsigned k = 0; k < s.trip; ++k) x = then_stretch(x);
    }
    return x;
  }
};

// All lanes make all trips, and keep what theirs have left.
struct UniformLoop {
  KOKKOS_FUNCTION float operator()(const Work& s, unsigned lane, float x) const {
    const unsigned trips = trips_of(lane);
    float result = x;
#pragma unroll 1
    for (unsigned t = 0; t < most_trips; ++t) {
#pragma unroll 1
      for (unsigned k = 0; k < s.trip; ++k) x = then_stretch(x);
      result = t < trips ? x : result;
    }
    return result;
  }
};

template <class Body, bool transposed>
struct Map {
  Work s;

  KOKKOS_FUNCTION void operator()(const Member<warps>& team) const {
    assume_team_size<warps>(team);
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
Rung step(const char* name) {
  return rung(
      works, name,
      [label = std::string("portcost::divergence::") + name](const Work& s, const Stream& on) {
        Kokkos::parallel_for(label, team_policy<warps>(on, static_cast<int>(tiles_of(s.n))),
                             Map<Body, transposed>{s});
      });
}

}  // namespace

Rungs kokkos_rungs() {
  return {step<Branch, true>("uniform"), step<Branch, false>("if_else"),
          step<Loop, false>("loop_678"), step<UniformLoop, false>("loop_uniform")};
}

}  // namespace portcost::divergence
