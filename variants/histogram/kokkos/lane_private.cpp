// SPDX-License-Identifier: Apache-2.0
// The portable variant without atomics.
#include "variants/histogram/kokkos/teams.hpp"

namespace portcost::histogram {

namespace {

using namespace kokkos;

// Atomics only in the last addition: each item counts in its own bytes, which the team adds up
// before they can overflow. An item's sums stay with its thread, in registers, as in CUDA.
template <unsigned bins>
struct LanePrivate {
  using C = Columns<bins>;
  using On = kokkos::On<Private, Lanes::one>;
  using Sums = unsigned[On::most_own(C::threads)][4];
  Keys s;
  Plan p;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    unsigned* const columns = On::template scratch<unsigned>(team, C::counters);
    auto* const bytes = reinterpret_cast<unsigned char*>(columns);
    Sums sums = {};
    set_zero<On, C::counters>(team, columns);
    team.team_barrier();
    const Turns turns = turns_of<kokkos_shapes>(p.tiles, team.league_rank(), team.league_size());
    const unsigned full = compat::min(turns.end, p.full);
    for (unsigned first = turns.first;;) {
      // As many full tiles as a byte can count; the last time fewer, and the keys outside full
      // tiles.
      const bool last = first + (C::trips - 1) * turns.step >= full;
      const unsigned next = first + C::trips * turns.step;
      const Turns some{first, turns.step, last ? turns.end : next};
      for_items<On>(team, [&](unsigned id) {
        const auto count = [=](unsigned key, unsigned) { ++bytes[C::byte_of(key, id)]; };
        for_keys<On>(s, p, some, id, count);
        if (last && team.league_rank() == 0) for_rest<On>(s, p, id, count);
      });
      team.team_barrier();
      add_up(team, columns, sums);
      if (last) break;
      team.team_barrier();
      first = next;
    }
    On::template for_own<C::threads>(team, [&](unsigned id, int own) {
      for (unsigned k = 0; k < 4; ++k) {
        Kokkos::atomic_add(s.out + id % C::words * 4 + k, sums[own][k]);
      }
    });
  }

  KOKKOS_FUNCTION static void add_up(const typename On::Member& team, unsigned* columns,
                                     Sums& sums) {
    On::template for_own<C::threads>(team, [&](unsigned id, int own) {
      unsigned even = 0, odd = 0;  // two bins each, in the halves of a word
#pragma unroll 8
      for (unsigned i = 0; i < C::span; ++i) {
        unsigned& word = columns[C::word_of(id, i)];
        even += word & 0x00FF00FFu;
        odd += word >> 8 & 0x00FF00FFu;
        word = 0;
      }
      sums[own][0] += even & 0xFFFFu;
      sums[own][1] += odd & 0xFFFFu;
      sums[own][2] += even >> 16;
      sums[own][3] += odd >> 16;
    });
  }
};

}  // namespace

Rungs kokkos_lane_private_rungs() {
  return {rung(works, "lane_private", [](const Keys& s, const Stream& on) {
    with_bins(s.bins, [&](auto bins) {
      if constexpr (Columns<bins.value>::fit) {
        set_zero(s, on);
        const Plan p = plan(s, private_shape);
        launch("portcost::histogram::lane_private", LanePrivate<bins.value>{s, p}, on, p.teams,
               Columns<bins.value>::counters);
      } else {
        kokkos::lane_striped(s, on);
      }
    });
  })};
}

}  // namespace portcost::histogram
