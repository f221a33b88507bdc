// SPDX-License-Identifier: Apache-2.0
// Portable variants that read a key at a time.
#include "variants/histogram/kokkos/teams.hpp"

namespace portcost::histogram {

namespace {

using namespace kokkos;

// Calls count(key) for the keys of item `id` of a team, a key at a time.
KOKKOS_INLINE_FUNCTION void for_plain_keys(const Keys& s, const auto& team, unsigned id,
                                           const auto& count) {
  constexpr unsigned threads = Plain::shape.threads();
  const Turns turns =
      turns_of<kokkos_shapes>(ceil_div(s.n, threads), team.league_rank(), team.league_size());
  const unsigned end = threads == 1 ? turns.end : s.n;
  for (unsigned i = turns.first * threads + id; i < end; i += turns.step * threads) count(s.in[i]);
}

// Each key increments its only counter.
struct GlobalAtomics {
  using On = kokkos::On<Plain>;
  Keys s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    unsigned* const out = s.out;
    for_items<On>(team, [&](unsigned id) {
      for_plain_keys(s, team, id, [&](unsigned key) { compat::atomic_inc(out + key); });
    });
  }
};

// Counters of the team, zeroed first and added to the result at the end.
template <unsigned bins>
struct ScratchAtomics {
  using On = kokkos::On<Plain>;
  Keys s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    unsigned* const counts = On::template scratch<unsigned>(team, bins);
    set_zero<On, bins>(team, counts);
    team.team_barrier();
    for_items<On>(team, [&](unsigned id) {
      for_plain_keys(s, team, id, [&](unsigned key) { count_in_scratch<On>(counts + key); });
    });
    team.team_barrier();
    for_items<On>(team, [&](unsigned id) {
      for (unsigned bin = id; bin < bins; bin += On::shape.threads()) {
        Kokkos::atomic_add(s.out + bin, counts[bin]);
      }
    });
  }
};

}  // namespace

Rungs kokkos_atomics_rungs() {
  const auto global_atomics = [](const Keys& s, const Stream& on) {
    set_zero(s, on);
    launch("portcost::histogram::global_atomics", GlobalAtomics{s}, on,
           plain_teams(s, Plain::shape), 0);
  };
  const auto scratch_atomics = [](const Keys& s, const Stream& on) {
    set_zero(s, on);
    with_bins(s.bins, [&](auto bins) {
      launch("portcost::histogram::scratch_atomics", ScratchAtomics<bins.value>{s}, on,
             plain_teams(s, Plain::shape), bins.value);
    });
  };
  return {rung(works, "global_atomics", global_atomics),
          rung(works, "scratch_atomics", scratch_atomics)};
}

}  // namespace portcost::histogram
