// SPDX-License-Identifier: Apache-2.0
// Portable variants that read packs of keys, with one or several copies of the counters a team.
#include "variants/histogram/kokkos/teams.hpp"

namespace portcost::histogram {

namespace {

using namespace kokkos;

// `split` says who has a copy of the counters.
template <Split split, unsigned bins>
struct Copies {
  using On = kokkos::On<Wide>;
  static constexpr unsigned copies_kept = copies<split, bins, kokkos_shapes>;
  static constexpr unsigned counters = copies_kept * bins;
  Keys s;
  Plan p;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    unsigned* const counts = On::template scratch<unsigned>(team, counters);
    set_zero<On, counters>(team, counts);
    team.team_barrier();
    const Turns turns = turns_of<kokkos_shapes>(p.tiles, team.league_rank(), team.league_size());
    for_items<On>(team, [&](unsigned id) {
      const auto count = [&](unsigned key, unsigned j) {
        count_in_scratch<On>(counts + counter_of<split, bins, kokkos_shapes>(
                                          key, copy_of<split, bins, kokkos_shapes>(id, j)));
      };
      for_keys<On>(s, p, turns, id, count);
      if (team.league_rank() == 0) for_rest<On>(s, p, id, count);
    });
    team.team_barrier();
    for_items<On>(team, [&](unsigned id) {
      for (unsigned bin = id; bin < bins; bin += On::shape.threads()) {
        unsigned total = 0;
#pragma unroll 4
        for (unsigned i = 0; i < copies_kept; ++i) {
          total += counts[counter_of<split, bins, kokkos_shapes>(bin, (i + id) % copies_kept)];
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
    launch("portcost::histogram::wide", Step{s, p}, stream, p.teams, Step::counters);
  });
}

}  // namespace

void kokkos::lane_striped(const Keys& s, const Stream& stream) {
  count_wide<Split::lane>(s, stream);
}

Rungs kokkos_copies_rungs() {
  const auto wide_loads = [](const Keys& s, const Stream& on) { count_wide<Split::team>(s, on); };
  const auto warp_private = [](const Keys& s, const Stream& on) { count_wide<Split::warp>(s, on); };
  const auto lane_striped = [](const Keys& s, const Stream& on) { kokkos::lane_striped(s, on); };
  return {rung(works, "wide_loads", wide_loads), rung(works, "warp_private", warp_private),
          rung(works, "lane_striped", lane_striped)};
}

}  // namespace portcost::histogram
