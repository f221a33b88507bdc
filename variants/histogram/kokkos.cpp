// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants. Ranges distribute a team's work; item `id` of one range is item `id`
// of the next, so data that only this item touches needs no atomics. In a host's shapes a team has
// one item (except in lane_private).
#include "variants/histogram/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::histogram {

namespace {

// The shapes as types: nvcc loses shapes that are values among a template's parameters.
struct Plain {
  static constexpr Shape shape = plain_shape(kokkos_shapes);
};
struct Wide {
  static constexpr Shape shape = wide_shape(kokkos_shapes);
};
struct Private {
  static constexpr Shape shape = private_shape;
};
template <class Of, Lanes lanes_named = Lanes::warp>
struct TeamsOf
    : Teams<static_cast<int>(Of::shape.warps), static_cast<int>(Of::shape.teams), lanes_named> {
  static constexpr Shape shape = Of::shape;
};

template <class Of>
KOKKOS_INLINE_FUNCTION void for_items(const typename Of::Member& team, const auto& run) {
  using Index = typename Of::Index;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<Index>(Of::shape.threads())),
                       [&](Index id) { run(static_cast<unsigned>(id)); });
}
template <class Of, unsigned count>
KOKKOS_INLINE_FUNCTION void set_zero(const typename Of::Member& team, unsigned* counters) {
  for_items<Of>(team, [&](unsigned id) {
    for (unsigned i = id; i < count; i += Of::shape.threads()) counters[i] = 0;
  });
}

// Increments a counter in a team's scratch. Where a team has one item, no other thread counts
// there.
template <class Of>
KOKKOS_INLINE_FUNCTION void count_in_scratch(unsigned* counter) {
  if constexpr (Of::shape.threads() == 1) {
    ++*counter;
  } else {
    compat::atomic_inc(counter);
  }
}

// Calls count(key, j) for the keys of item `id`: the packs of the tiles in `turns`, full tiles and
// the last. A team of one item has contiguous tiles.
template <class Of>
KOKKOS_INLINE_FUNCTION void for_keys(const Keys& s, const Plan& p, Turns turns, unsigned id,
                                     const auto& count) {
  if constexpr (Of::shape.threads() == 1) {
    const auto* const packs = reinterpret_cast<const Pack*>(s.in);
    const unsigned end = compat::min(turns.end * Of::shape.loads, p.packs);
    for (unsigned pack = turns.first * Of::shape.loads; pack < end; ++pack) {
      const Pack keys = packs[pack];
      for (unsigned j = 0; j < pack_width; ++j) count(keys.at[j], j);
    }
    return;
  }
  constexpr unsigned threads = Of::shape.threads(), tile_packs = threads * Of::shape.loads;
  const auto* const packs = reinterpret_cast<const Pack*>(s.in) + id;
  const unsigned full = compat::min(turns.end, p.full);
  Pack next[Of::shape.loads];
  const auto load = [&](unsigned from) {
    const Pack* const first = packs + std::uint64_t{from} * tile_packs;
#pragma unroll
    for (unsigned k = 0; k < Of::shape.loads; ++k) next[k] = first[k * threads];
  };
  unsigned tile = turns.first;
  if (tile < full) load(tile);
  while (tile < full) {
    Pack keys[Of::shape.loads];
#pragma unroll
    for (unsigned k = 0; k < Of::shape.loads; ++k) keys[k] = next[k];
    tile += turns.step;
    if (tile < full) load(tile);  // prefetched while these are counted
#pragma unroll
    for (unsigned k = 0; k < Of::shape.loads; ++k) {
#pragma unroll
      for (unsigned j = 0; j < pack_width; ++j) count(keys[k].at[j], j);
    }
  }
  if (tile < turns.end) {
    const unsigned begin = tile * tile_packs, left = p.packs - begin;
#pragma unroll
    for (unsigned k = 0; k < Of::shape.loads; ++k) {
      if (id + k * threads >= left) break;
      const Pack keys = packs[begin + k * threads];
#pragma unroll
      for (unsigned j = 0; j < pack_width; ++j) count(keys.at[j], j);
    }
  }
}
// The keys past the last pack, which one team counts.
template <class Of>
KOKKOS_INLINE_FUNCTION void for_rest(const Keys& s, const Plan& p, unsigned id, const auto& count) {
  for (unsigned i = p.packs * pack_width + id; i < s.n; i += Of::shape.threads())
    count(s.in[i], 0u);
}

// Launches a step with `teams` teams and `counters` counters in the scratch of each.
template <class Step>
void launch(const char* name, const Step& step, const Stream& stream, unsigned teams,
            unsigned counters) {
  const int bytes = scratch_bytes<unsigned>(static_cast<int>(counters));
  Kokkos::parallel_for(name, Step::On::policy(stream, static_cast<int>(teams), bytes), step);
}

void set_zero(const Keys& s, const Stream& stream) {
  using Counts =
      Kokkos::View<unsigned*, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(kokkos_space(stream), Counts(s.out, s.bins), 0u);
}

// ---- A key at a time.

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
  using On = TeamsOf<Plain>;
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
  using On = TeamsOf<Plain>;
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

void global_atomics(const Keys& s, const Stream& on) {
  set_zero(s, on);
  launch("portcost::histogram::global_atomics", GlobalAtomics{s}, on, plain_teams(s, Plain::shape),
         0);
}

void scratch_atomics(const Keys& s, const Stream& on) {
  set_zero(s, on);
  with_bins(s.bins, [&](auto bins) {
    launch("portcost::histogram::scratch_atomics", ScratchAtomics<bins.value>{s}, on,
           plain_teams(s, Plain::shape), bins.value);
  });
}

// ---- Packs of keys, with one or several copies of the counters a team.

// `split` says who has a copy of the counters.
template <Split split, unsigned bins>
struct Copies {
  using On = TeamsOf<Wide>;
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

// ---- Without atomics.

// Atomics only in the last addition: each item counts in its own bytes, which the team adds up
// before they can overflow. An item's sums stay with its thread, in registers, as in CUDA.
template <unsigned bins>
struct LanePrivate {
  using C = Columns<bins>;
  using On = TeamsOf<Private, Lanes::one>;
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

void lane_private(const Keys& s, const Stream& on) {
  with_bins(s.bins, [&](auto bins) {
    if constexpr (Columns<bins.value>::fit) {
      set_zero(s, on);
      const Plan p = plan(s, private_shape);
      launch("portcost::histogram::lane_private", LanePrivate<bins.value>{s, p}, on, p.teams,
             Columns<bins.value>::counters);
    } else {
      count_wide<Split::lane>(s, on);
    }
  });
}

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "global_atomics", global_atomics),
          rung(works, "scratch_atomics", scratch_atomics),
          rung(works, "wide_loads",
               [](const Keys& s, const Stream& on) { count_wide<Split::team>(s, on); }),
          rung(works, "warp_private",
               [](const Keys& s, const Stream& on) { count_wide<Split::warp>(s, on); }),
          rung(works, "lane_striped",
               [](const Keys& s, const Stream& on) { count_wide<Split::lane>(s, on); }),
          rung(works, "lane_private", lane_private)};
}

}  // namespace portcost::histogram
