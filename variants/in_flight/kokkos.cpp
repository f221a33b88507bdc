// SPDX-License-Identifier: Apache-2.0
// Portable variants: as many teams as make the given threads, all of which are there at the same
// time.
#include "variants/in_flight/kokkos/workers.hpp"
#include "variants/in_flight/problem.hpp"
#include "variants/kokkos_team.hpp"

namespace portcost::in_flight {

namespace {

// As many as fill a multiprocessor fit there.
template <Way way>
using Full = Teams<way, warps, most_threads / threads>;

template <int loads, Way way>
struct Pieces {
  using On = Full<way>;
  using Index = typename On::Index;
  Reading s;
  int teams;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index item) {
      read_pieces<loads>(s, team.league_rank(), teams, static_cast<int>(item));
    });
  }
};

// A thread a team.
template <int loads, Way way>
struct Lines {
  using On = Full<way>;
  Reading s;
  Walk walk;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                         [&](int) { read_lines<loads>(s, walk, team.league_rank()); });
  }
};

template <int loads, Way way>
void read(const Reading& s, const Stream& stream) {
  using On = Full<way>;
  if constexpr (reads_lines) {
    Kokkos::parallel_for("portcost::in_flight::read", On::policy(stream, s.workers),
                         Lines<loads, way>{s, Walk(s.n)});
  } else {
    const int teams = s.workers / threads;
    Kokkos::parallel_for("portcost::in_flight::read", On::policy(stream, teams),
                         Pieces<loads, way>{s, teams});
  }
}

}  // namespace

Rungs kokkos_rungs() {
  Rungs result = joined(
      {team_step(works, "loads_1",
                 [](auto way, const auto& s, const Stream& on) { read<1, way.value>(s, on); }),
       team_step(works, "loads_2",
                 [](auto way, const auto& s, const Stream& on) { read<2, way.value>(s, on); }),
       team_step(works, "loads_4",
                 [](auto way, const auto& s, const Stream& on) { read<4, way.value>(s, on); }),
       team_step(works, "loads_8",
                 [](auto way, const auto& s, const Stream& on) { read<8, way.value>(s, on); }),
       team_step(works, "loads_16",
                 [](auto way, const auto& s, const Stream& on) { read<16, way.value>(s, on); })});
  for (Rung& one : result) one.unfit = not_here;
  return result;
}

}  // namespace portcost::in_flight
