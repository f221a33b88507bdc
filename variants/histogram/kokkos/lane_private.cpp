// SPDX-License-Identifier: Apache-2.0
// The portable variant without atomics.
#include "variants/histogram/kokkos/teams.hpp"

namespace portcost::histogram {

namespace {

using namespace kokkos;

// No atomics but the last: each item counts in bytes of its own, which the team adds up before
// they can overflow.
template <unsigned bins>
struct LanePrivate {
  using C = Columns<bins>;
  Keys s;
  Plan p;

  KOKKOS_FUNCTION void operator()(const Team<Private>& team) const {
    assume_team_size<warps<Private>>(team);
    unsigned* const columns = scratch<unsigned>(team, C::counters);
    auto* const bytes = reinterpret_cast<unsigned char*>(columns);
    const auto count_at = [&](unsigned id) {
      return [=](unsigned key, unsigned) { ++bytes[C::byte_of(key, id)]; };
    };
    set_zero<Private, C::counters>(team, columns);
    team.team_barrier();
    Turns turns = turns_of<here>(p.tiles, team.league_rank(), team.league_size());
    for (; turns.first < turns.end; turns.first += C::trips * turns.step) {
      const Turns some{turns.first, turns.step,
                       compat::min(turns.end, turns.first + C::trips * turns.step)};
      for_items<Private>(team,
                         [&](unsigned id) { for_keys<Private>(s, p, some, id, count_at(id)); });
      team.team_barrier();
      add_up(team, columns);
      team.team_barrier();
    }
    for_items<Private>(team, [&](unsigned id) {
      if (team.league_rank() == 0) for_rest<Private>(s, p, id, count_at(id));
    });
    team.team_barrier();
    add_up(team, columns);
    for_items<Private>(team, [&](unsigned id) {
      for (unsigned k = 0; k < 4; ++k) {
        Kokkos::atomic_add(s.out + id % C::words * 4 + k, columns[C::sums + k * C::threads + id]);
      }
    });
  }

  KOKKOS_FUNCTION static void add_up(const Team<Private>& team, unsigned* columns) {
    for_items<Private>(team, [&](unsigned id) {
      unsigned even = 0, odd = 0;  // two bins each, in halves of a word
#pragma unroll 8
      for (unsigned i = 0; i < C::span; ++i) {
        unsigned& word = columns[C::word_of(id, i)];
        even += word & 0x00FF00FFu;
        odd += word >> 8 & 0x00FF00FFu;
        word = 0;
      }
      unsigned* const sums = columns + C::sums + id;
      sums[0] += even & 0xFFFFu;
      sums[C::threads] += odd & 0xFFFFu;
      sums[2 * C::threads] += even >> 16;
      sums[3 * C::threads] += odd >> 16;
    });
  }
};

void lane_private(const Keys& s, const Stream& stream) {
  with_bins(s.bins, [&](auto bins) {
    if constexpr (Columns<bins.value>::fit) {
      set_zero(s, stream);
      const Plan p = plan(s, private_shape);
      Kokkos::parallel_for("portcost::histogram::lane_private",
                           policy<Private>(stream, p.teams, Columns<bins.value>::counters),
                           LanePrivate<bins.value>{s, p});
    } else {
      kokkos::lane_striped(s, stream);
    }
  });
}

}  // namespace

Rungs kokkos_lane_private_rungs() { return {rung(works, "lane_private", lane_private)}; }

}  // namespace portcost::histogram
