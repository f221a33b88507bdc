// SPDX-License-Identifier: Apache-2.0
// Histograms in plain Kokkos. This header depends only on Kokkos. The kernels with atomic additions
// to global memory and to scratch follow CUDA lecture 3 (Laeva and Trunov); the kernels with
// several copies of the counters use privatisation. Each kernel first sets the counts to zero.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace portcost::histogram::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <int threads, int teams>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, teams>>;
using Member = Teams<256, 8>::member_type;

template <class T>
using Line = Kokkos::View<T*, Space, Unmanaged>;
template <class Array, class Layout = Kokkos::LayoutRight>
using Scratch = Kokkos::View<Array, Layout, Space::scratch_memory_space, Unmanaged>;

/// Sixteen contiguous bytes. One vector instruction loads them.
struct alignas(16) Pack {
  static constexpr int length = 4;
  unsigned at[length];
};
/// Number of packs that a thread keeps in flight. A tile has `loads` packs per thread of the team.
inline constexpr int loads = 4;

/// The keys, fewer than 2^31. `packs` views the same keys in packs of four.
struct Keys {
  Line<const unsigned> one_by_one;
  Line<const Pack> packs;

  KOKKOS_INLINE_FUNCTION unsigned size() const {
    return static_cast<unsigned>(one_by_one.extent(0));
  }
  KOKKOS_INLINE_FUNCTION unsigned tiles(int threads) const {
    const unsigned tile = threads * loads;
    return (static_cast<unsigned>(packs.extent(0)) + tile - 1) / tile;
  }
};

/// The items first, first + step, ... less than end.
struct Turns {
  unsigned first, step, end;
};
/// Returns the items that part `part` of `parts` processes. GPU threads use a grid-stride loop, so
/// adjacent threads load adjacent items. On a host a team has one thread, which processes a
/// contiguous range.
template <int threads>
KOKKOS_INLINE_FUNCTION Turns turns_of(unsigned n, unsigned part, unsigned parts) {
  if (threads > 1) return {part, parts, n};
  const std::uint64_t all = n;
  return {static_cast<unsigned>(all * part / parts), 1,
          static_cast<unsigned>(all * (part + 1) / parts)};
}

/// Calls count(key) for each key of this thread, one key at a time.
template <int threads, class Count>
KOKKOS_INLINE_FUNCTION void for_keys(const Member& team, const Keys& keys, const Count& count) {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, threads), [&](int id) {
    const Turns own = turns_of<threads>(keys.size(), team.league_rank() * threads + id,
                                        team.league_size() * threads);
    for (unsigned i = own.first; i < own.end; i += own.step) count(keys.one_by_one(i));
  });
}

/// Increments a counter in scratch. A team of one thread needs no atomic addition.
template <int threads>
KOKKOS_INLINE_FUNCTION void add_one(unsigned& counter) {
  if constexpr (threads == 1) {
    ++counter;
  } else {
    Kokkos::atomic_add(&counter, 1u);
  }
}

/// global_atomics: each thread increments the counter of its key in global memory.
template <int threads>
void global_atomics(const Space& space, int teams, int team_size, const Keys& keys,
                    const Line<unsigned>& counts) {
  Kokkos::deep_copy(space, counts, 0u);
  Kokkos::parallel_for(
      "histogram::book::global_atomics", Teams<256, 8>(space, teams, team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        for_keys<threads>(team, keys, [&](unsigned key) { Kokkos::atomic_add(&counts(key), 1u); });
      });
}

/// scratch_atomics: each team counts in scratch and then adds its counters to the global counts.
template <int threads, int bins>
void scratch_atomics(const Space& space, int teams, int team_size, const Keys& keys,
                     const Line<unsigned>& counts) {
  using Counters = Scratch<unsigned[bins]>;
  Kokkos::deep_copy(space, counts, 0u);
  Teams<256, 8> policy(space, teams, team_size, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(Counters::shmem_size()));
  Kokkos::parallel_for(
      "histogram::book::scratch_atomics", policy, KOKKOS_LAMBDA(const Member& team) {
        const Counters own(team.team_scratch(0));
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, bins),
                             [&](int bin) { own(bin) = 0; });
        team.team_barrier();
        for_keys<threads>(team, keys, [&](unsigned key) { add_one<threads>(own(key)); });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, bins),
                             [&](int bin) { Kokkos::atomic_add(&counts(bin), own(bin)); });
      });
}

/// Calls count(key, position) for the packs of thread `id` in `tiles`. The thread prefetches the
/// packs of the next tile while it counts the keys of the current tile. The last tile may be
/// incomplete.
template <int threads, class Count>
KOKKOS_INLINE_FUNCTION void for_packs(const Line<const Pack>& packs, Turns tiles, int id,
                                      const Count& count) {
  constexpr unsigned tile = threads * loads;
  const unsigned all = static_cast<unsigned>(packs.extent(0));
  const auto count_pack = [&](const Pack& pack) {
    for (int j = 0; j < Pack::length; ++j) count(pack.at[j], j);
  };
  if constexpr (threads == 1) {
    const unsigned end = tiles.end * tile < all ? tiles.end * tile : all;
    for (unsigned p = tiles.first * tile; p < end; ++p) count_pack(packs(p));
  } else {
    const unsigned full = all / tile < tiles.end ? all / tile : tiles.end;
    Pack next[loads], now[loads];
    const auto load = [&](unsigned at) {
      for (int k = 0; k < loads; ++k) next[k] = packs(at * tile + k * threads + id);
    };
    unsigned t = tiles.first;
    if (t < full) load(t);
    while (t < full) {
      for (int k = 0; k < loads; ++k) now[k] = next[k];
      t += tiles.step;
      if (t < full) load(t);
      for (int k = 0; k < loads; ++k) count_pack(now[k]);
    }
    if (t >= tiles.end) return;
    for (unsigned p = t * tile + id; p < all; p += threads) count_pack(packs(p));
  }
}
/// Calls count(key, 0) for the keys after the last pack.
template <int threads, class Count>
KOKKOS_INLINE_FUNCTION void for_rest(const Keys& keys, int id, const Count& count) {
  const unsigned past = static_cast<unsigned>(keys.packs.extent(0)) * Pack::length;
  for (unsigned i = past + id; i < keys.size(); i += threads) count(keys.one_by_one(i), 0);
}

/// Owner of a copy of the counters: the team (wide_loads), a warp (warp_private), a lane
/// (lane_striped), or, on a host, a position in a pack.
enum class Copies { of_team, of_warps, of_lanes, of_positions };
template <Copies whose>
KOKKOS_INLINE_FUNCTION int copy_of(int id, int position) {
  if (whose == Copies::of_team) return 0;
  if (whose == Copies::of_warps) return id / 32;
  return whose == Copies::of_lanes ? id : position;
}

/// wide_loads, warp_private, lane_striped: each thread loads packs and counts in a private copy in
/// scratch. Then the team adds all copies to the global counts. With LayoutLeft the copies of a bin
/// are adjacent and in different banks.
template <Copies whose, class Layout, int level, int threads, int copies, int bins>
void in_copies(const Space& space, int teams, int team_size, const Keys& keys,
               const Line<unsigned>& counts) {
  using Counters = Scratch<unsigned[copies][bins], Layout>;
  Kokkos::deep_copy(space, counts, 0u);
  Teams<256, 5> policy(space, teams, team_size, 32);
  policy.set_scratch_size(level, Kokkos::PerTeam(Counters::shmem_size()));
  Kokkos::parallel_for(
      "histogram::book::in_copies", policy, KOKKOS_LAMBDA(const Member& team) {
        const Counters own(team.team_scratch(level));
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, bins), [&](int bin) {
          for (int copy = 0; copy < copies; ++copy) own(copy, bin) = 0;
        });
        team.team_barrier();
        const Turns tiles =
            turns_of<threads>(keys.tiles(threads), team.league_rank(), team.league_size());
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, threads), [&](int id) {
          const auto count = [&](unsigned key, int position) {
            add_one<threads>(own(copy_of<whose>(id, position) % copies, key));
          };
          for_packs<threads>(keys.packs, tiles, id, count);
          if (team.league_rank() == 0) for_rest<threads>(keys, id, count);
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, bins), [&](int bin) {
          unsigned sum = 0;
          for (int i = 0; i < copies; ++i) sum += own((bin + i) % copies, bin);
          Kokkos::atomic_add(&counts(bin), sum);
        });
      });
}

/// lane_private: uses atomic additions only for the final sum. Each of the team's 128 threads
/// counts in private 8-bit counters, four bins per word. Every 15 tiles, before a counter can
/// overflow, the team adds the counters to 32-bit sums and clears them.
template <int level, int bins>
void lane_private(const Space& space, int teams, int team_size, const Keys& keys,
                  const Line<unsigned>& counts) {
  constexpr int threads = 128, words = bins / 4, trips = 254 / (loads * Pack::length);
  using Bytes = Scratch<unsigned[words][threads]>;
  using Sums = Scratch<unsigned[4][threads]>;
  Kokkos::deep_copy(space, counts, 0u);
  Teams<128, 6> policy(space, teams, team_size, 32);
  policy.set_scratch_size(level, Kokkos::PerTeam(Bytes::shmem_size() + Sums::shmem_size()));
  Kokkos::parallel_for(
      "histogram::book::lane_private", policy, KOKKOS_LAMBDA(const Member& team) {
        const Bytes own(team.team_scratch(level));
        const Sums sums(team.team_scratch(level));
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, threads), [&](int id) {
          for (int word = 0; word < words; ++word) own(word, id) = 0;
          for (int k = 0; k < 4; ++k) sums(k, id) = 0;
        });
        team.team_barrier();
        const unsigned tiles = keys.tiles(threads), step = team.league_size();
        unsigned first = team.league_rank();
        do {
          const unsigned next = first + trips * step;
          const Turns some{first, step, next < tiles ? next : tiles};
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, threads), [&](int id) {
            const auto count = [&](unsigned key, int) { own(key / 4, id) += 1u << key % 4 * 8; };
            for_packs<threads>(keys.packs, some, id, count);
            if (first == 0) for_rest<threads>(keys, id, count);
          });
          team.team_barrier();
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, threads), [&](int id) {
            unsigned even = 0, odd = 0;  // each holds two bins, one per half word
            for (int i = 0; i < words; ++i) {
              unsigned& four = own(id % words, id / words * words + (id + i) % words);
              even += four & 0x00FF00FFu;
              odd += four >> 8 & 0x00FF00FFu;
              four = 0;
            }
            sums(0, id) += even & 0xFFFFu;
            sums(1, id) += odd & 0xFFFFu;
            sums(2, id) += even >> 16;
            sums(3, id) += odd >> 16;
          });
          team.team_barrier();
          first = next;
        } while (first < tiles);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, threads), [&](int id) {
          for (int k = 0; k < 4; ++k) {
            Kokkos::atomic_add(&counts(id % words * 4 + k), sums(k, id));
          }
        });
      });
}

}  // namespace portcost::histogram::book
