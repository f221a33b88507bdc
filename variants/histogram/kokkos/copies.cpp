// SPDX-License-Identifier: Apache-2.0
// Portable variants that take packs of keys, with one copy of the counters a team or several.
#include "variants/histogram/kokkos/teams.hpp"

namespace portcost::histogram {

namespace {

using namespace kokkos;

// Copies of the counters as `split` says.
template <Split split, unsigned bins>
struct Copies {
  static constexpr unsigned copies_kept = copies<split, bins, here>;
  static constexpr unsigned counters = copies_kept * bins;
  Keys s;
  Plan p;

  KOKKOS_FUNCTION void operator()(const Team<Wide>& team) const {
    assume_team_size<warps<Wide>>(team);
    unsigned* const counts = scratch<unsigned>(team, counters);
    set_zero<Wide, counters>(team, counts);
    team.team_barrier();
    const Turns turns = turns_of<here>(p.tiles, team.league_rank(), team.league_size());
    for_items<Wide>(team, [&](unsigned id) {
      const auto count = [&](unsigned key, unsigned j) {
        count_in_scratch(counts +
                         counter_of<split, bins, here>(key, copy_of<split, bins, here>(id, j)));
      };
      for_keys<Wide>(s, p, turns, id, count);
      if (team.league_rank() == 0) for_rest<Wide>(s, p, id, count);
    });
    team.team_barrier();
    for_items<Wide>(team, [&](unsigned id) {
      for (unsigned bin = id; bin < bins; bin += Wide::shape.threads()) {
        unsigned total = 0;
#pragma unroll 4
        for (unsigned i = 0; i < copies_kept; ++i) {
          total += counts[counter_of<split, bins, here>(bin, (i + id) % copies_kept)];
        }
        Kokkos::atomic_add(s.out + bin, total);
      }
    });
  }
};

template <Split split>
void count_wide(const Keys& s, const Stream& stream) {
  set_zero(s, stream);
  const Plan p = plan(s, Wide::shape);
  with_bins(s.bins, [&](auto bins) {
    using Step = Copies<split, bins.value>;
    Kokkos::parallel_for("portcost::histogram::wide", policy<Wide>(stream, p.teams, Step::counters),
                         Step{s, p});
  });
}

void wide_loads(const Keys& s, const Stream& stream) { count_wide<Split::team>(s, stream); }
void warp_private(const Keys& s, const Stream& stream) { count_wide<Split::warp>(s, stream); }

}  // namespace

void kokkos::lane_striped(const Keys& s, const Stream& stream) {
  count_wide<Split::lane>(s, stream);
}

Rungs kokkos_copies_rungs() {
  return {rung(works, "wide_loads", wide_loads), rung(works, "warp_private", warp_private),
          rung(works, "lane_striped", kokkos::lane_striped)};
}

}  // namespace portcost::histogram
