// SPDX-License-Identifier: Apache-2.0
// Packs that teams copy from or to memory across the link: a thread a pack, as the native kernel.
#pragma once

#include "variants/shared/kokkos_team.hpp"
#include "variants/transfer_bandwidth/problem.hpp"

namespace portcost::transfer_bandwidth {

template <Way way>
struct PackTeams {
  using On = Teams<way, pack_threads / 32, 0, Lanes::one>;
  using Index = typename On::Index;
  KernelEnds ends;
  std::int64_t packs;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const std::int64_t first = std::int64_t{team.league_rank()} * pack_threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{pack_threads}), [&](Index item) {
      if (first + item < packs) ends.move(first + item);
    });
  }
};

template <Way way>
void copy_packs(const KernelEnds& ends, const Stream& on) {
  using Made = PackTeams<way>;
  const std::int64_t league = ceil_div(ends.packs(), std::int64_t{pack_threads});
  require(league <= Made::On::most_teams, "more packs than a league has teams for");
  Kokkos::parallel_for("portcost::transfer_bandwidth::mapped",
                       Made::On::policy(on, static_cast<int>(league)), Made{ends, ends.packs()});
}

}  // namespace portcost::transfer_bandwidth
