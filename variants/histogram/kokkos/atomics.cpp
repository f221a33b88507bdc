// SPDX-License-Identifier: Apache-2.0
// Portable variants that take a key at a time.
#include "variants/histogram/kokkos/teams.hpp"

namespace portcost::histogram {

namespace {

using namespace kokkos;

// Calls count(key) for item `id` of a team that takes a key at a time.
KOKKOS_INLINE_FUNCTION void for_plain_keys(const Keys& s, const auto& team, unsigned id,
                                           const auto& count) {
  const Turns turns =
      turns_of<here>(here == Place::host ? s.n : ceil_div(s.n, Plain::shape.threads()),
                     team.league_rank(), team.league_size());
  const unsigned end = here == Place::host ? turns.end : s.n;
  for (unsigned i = turns.first * Plain::shape.threads() + id; i < end;
       i += turns.step * Plain::shape.threads())
    count(s.in[i]);
}

// Every key goes to its one counter.
struct GlobalAtomics {
  Keys s;

  KOKKOS_FUNCTION void operator()(const Team<Plain>& team) const {
    assume_team_size<warps<Plain>>(team);
    unsigned* const out = s.out;
    for_items<Plain>(team, [&](unsigned id) {
      for_plain_keys(s, team, id, [&](unsigned key) { compat::atomic_inc(out + key); });
    });
  }
};

// Counters of the team, zeroed before and added to the result after.
template <unsigned bins>
struct ScratchAtomics {
  Keys s;

  KOKKOS_FUNCTION void operator()(const Team<Plain>& team) const {
    assume_team_size<warps<Plain>>(team);
    unsigned* const counts = scratch<unsigned>(team, bins);
    set_zero<Plain, bins>(team, counts);
    team.team_barrier();
    for_items<Plain>(team, [&](unsigned id) {
      for_plain_keys(s, team, id, [&](unsigned key) { count_in_scratch(counts + key); });
    });
    team.team_barrier();
    for_items<Plain>(team, [&](unsigned id) {
      for (unsigned bin = id; bin < bins; bin += Plain::shape.threads()) {
        Kokkos::atomic_add(s.out + bin, counts[bin]);
      }
    });
  }
};

void global_atomics(const Keys& s, const Stream& stream) {
  set_zero(s, stream);
  Kokkos::parallel_for("portcost::histogram::global_atomics",
                       policy<Plain>(stream, plain_teams(s, Plain::shape), 0), GlobalAtomics{s});
}

void scratch_atomics(const Keys& s, const Stream& stream) {
  set_zero(s, stream);
  with_bins(s.bins, [&](auto bins) {
    Kokkos::parallel_for("portcost::histogram::scratch_atomics",
                         policy<Plain>(stream, plain_teams(s, Plain::shape), bins.value),
                         ScratchAtomics<bins.value>{s});
  });
}

}  // namespace

Rungs kokkos_atomics_rungs() {
  return {rung(works, "global_atomics", global_atomics),
          rung(works, "scratch_atomics", scratch_atomics)};
}

}  // namespace portcost::histogram
