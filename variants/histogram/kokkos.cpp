// SPDX-License-Identifier: Apache-2.0
// Portable variants. A team's work is shared out by ranges; share `id` of one range is share `id`
// of the next, so what only it touches needs no atomics. On a host a team is one thread.
#include "variants/histogram/problem.hpp"
#include "variants/kokkos_space.hpp"

namespace portcost::histogram {

namespace {

constexpr Place here = kokkos_on_host ? Place::host : Place::device;
/// What ranges inside a team are counted in: 64 bits, so that a compiler that knows the team's size
/// sees that each thread has one share.
using Share = std::int64_t;

// The shapes as types: nvcc loses shapes as values among the parameters of a template.
struct Plain {
  static constexpr Shape shape = plain_shape(here);
};
struct Wide {
  static constexpr Shape shape = wide_shape(here);
};
struct Private {
  static constexpr Shape shape = private_shape;
};
// Teams as a device has them; kokkos_space.hpp makes them one thread on a host.
template <class Of>
inline constexpr int warps = static_cast<int>(Of::shape.warps);
template <class Of>
using Team = Member<warps<Of>, static_cast<int>(Of::shape.teams)>;

// Calls share(id) for the ids of a team.
template <class Of>
KOKKOS_INLINE_FUNCTION void for_shares(const Team<Of>& team, const auto& share) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Share{Of::shape.threads()}),
                       [&](Share id) { share(static_cast<unsigned>(id)); });
}
template <class Of, unsigned count>
KOKKOS_INLINE_FUNCTION void set_zero(const Team<Of>& team, unsigned* counters) {
  for_shares<Of>(team, [&](unsigned id) {
    for (unsigned i = id; i < count; i += Of::shape.threads()) counters[i] = 0;
  });
}

// One more in a team's scratch. A host's team is one thread: nobody else counts there.
KOKKOS_INLINE_FUNCTION void count_in_scratch(unsigned* counter) {
  if constexpr (kokkos_on_host) {
    ++*counter;
  } else {
    Kokkos::atomic_inc(counter);
  }
}

// Calls count(key) for share `id` of a team that takes a key at a time.
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
    for_shares<Plain>(team, [&](unsigned id) {
      for_plain_keys(s, team, id, [&](unsigned key) { Kokkos::atomic_inc(out + key); });
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
    for_shares<Plain>(team, [&](unsigned id) {
      for_plain_keys(s, team, id, [&](unsigned key) { count_in_scratch(counts + key); });
    });
    team.team_barrier();
    for_shares<Plain>(team, [&](unsigned id) {
      for (unsigned bin = id; bin < bins; bin += Plain::shape.threads()) {
        Kokkos::atomic_add(s.out + bin, counts[bin]);
      }
    });
  }
};

// Calls count(key, j) for share `id`: the packs of the tiles in `turns`, whole ones and the last.
template <class Of>
KOKKOS_INLINE_FUNCTION void for_keys(const Keys& s, const Plan& p, Turns turns, unsigned id,
                                     const auto& count) {
  constexpr unsigned threads = Of::shape.threads(), tile_packs = threads * Of::shape.loads;
  const auto* const packs = reinterpret_cast<const Pack*>(s.in) + id;
  const unsigned full = Kokkos::min(turns.end, p.full);
  unsigned tile = turns.first;
  for (; tile < full; tile += turns.step) {
    const Pack* const from = packs + tile * tile_packs;
    Pack keys[Of::shape.loads];
#pragma unroll
    for (unsigned k = 0; k < Of::shape.loads; ++k) keys[k] = from[k * threads];
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
// The keys past the last pack, by one team.
template <class Of>
KOKKOS_INLINE_FUNCTION void for_rest(const Keys& s, const Plan& p, unsigned id, const auto& count) {
  for (unsigned i = p.packs * pack_width + id; i < s.n; i += Of::shape.threads())
    count(s.in[i], 0u);
}

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
    for_shares<Wide>(team, [&](unsigned id) {
      const auto count = [&](unsigned key, unsigned j) {
        count_in_scratch(counts +
                         counter_of<split, bins, here>(key, copy_of<split, bins, here>(id, j)));
      };
      for_keys<Wide>(s, p, turns, id, count);
      if (team.league_rank() == 0) for_rest<Wide>(s, p, id, count);
    });
    team.team_barrier();
    for_shares<Wide>(team, [&](unsigned id) {
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

// No atomics but the last: each share counts in bytes of its own, which the team adds up before
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
                       Kokkos::min(turns.end, turns.first + C::trips * turns.step)};
      for_shares<Private>(team,
                          [&](unsigned id) { for_keys<Private>(s, p, some, id, count_at(id)); });
      team.team_barrier();
      add_up(team, columns);
      team.team_barrier();
    }
    for_shares<Private>(team, [&](unsigned id) {
      if (team.league_rank() == 0) for_rest<Private>(s, p, id, count_at(id));
    });
    team.team_barrier();
    add_up(team, columns);
    for_shares<Private>(team, [&](unsigned id) {
      for (unsigned k = 0; k < 4; ++k) {
        Kokkos::atomic_add(s.out + id % C::words * 4 + k, columns[C::sums + k * C::threads + id]);
      }
    });
  }

  KOKKOS_FUNCTION static void add_up(const Team<Private>& team, unsigned* columns) {
    for_shares<Private>(team, [&](unsigned id) {
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

template <class Of>
auto policy(const Stream& stream, unsigned teams, unsigned counters) {
  return team_policy<warps<Of>, static_cast<int>(Of::shape.teams)>(
      stream, static_cast<int>(teams), scratch_bytes<unsigned>(static_cast<int>(counters)));
}

void set_zero(const Keys& s, const Stream& stream) {
  using Counts =
      Kokkos::View<unsigned*, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(kokkos_space(stream), Counts(s.out, s.bins), 0u);
}

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

}  // namespace

void kokkos::global_atomics(const Keys& s, const Stream& stream) {
  set_zero(s, stream);
  Kokkos::parallel_for("portcost::histogram::global_atomics",
                       policy<Plain>(stream, plain_teams(s, Plain::shape), 0), GlobalAtomics{s});
}

void kokkos::scratch_atomics(const Keys& s, const Stream& stream) {
  set_zero(s, stream);
  with_bins(s.bins, [&](auto bins) {
    Kokkos::parallel_for("portcost::histogram::scratch_atomics",
                         policy<Plain>(stream, plain_teams(s, Plain::shape), bins.value),
                         ScratchAtomics<bins.value>{s});
  });
}

void kokkos::wide_loads(const Keys& s, const Stream& stream) { count_wide<Split::team>(s, stream); }
void kokkos::warp_private(const Keys& s, const Stream& stream) {
  count_wide<Split::warp>(s, stream);
}
void kokkos::lane_striped(const Keys& s, const Stream& stream) {
  count_wide<Split::lane>(s, stream);
}

void kokkos::lane_private(const Keys& s, const Stream& stream) {
  with_bins(s.bins, [&](auto bins) {
    if constexpr (Columns<bins.value>::fit) {
      set_zero(s, stream);
      const Plan p = plan(s, private_shape);
      Kokkos::parallel_for("portcost::histogram::lane_private",
                           policy<Private>(stream, p.teams, Columns<bins.value>::counters),
                           LanePrivate<bins.value>{s, p});
    } else {
      lane_striped(s, stream);
    }
  });
}

}  // namespace portcost::histogram
