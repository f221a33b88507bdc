// SPDX-License-Identifier: Apache-2.0
// block_vote by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. The votes are those
// of a block in CUDA lecture 3 (Laeva and Trunov). Kokkos has no votes: a team adds words up.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "variants/block_vote/rule.hpp"

namespace portcost::block_vote::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<128>>;
using Member = Teams::member_type;

template <class T>
using Line = Kokkos::View<T*, Space, Unmanaged>;
template <class Array>
using Scratch = Kokkos::View<Array, Kokkos::LayoutRight, Space::scratch_memory_space, Unmanaged>;

/// Sixteen bytes that are loaded as one.
template <class T>
struct alignas(16) Pack {
  static constexpr int length = 16 / sizeof(T);
  T at[length];
};

inline constexpr int tile_size = 1024, half_tile = tile_size / 2;
inline constexpr int warps = 4, lanes = 32, team_threads = warps * lanes;

using Numbers = Kokkos::View<int* [3], Kokkos::LayoutRight, Space, Unmanaged>;

/// Elements in tiles, the last of which may be cut short; their packs; three numbers a tile.
template <class T>
struct Field {
  Line<const T> elements;
  Line<const Pack<T>> packs;
  Numbers numbers;

  KOKKOS_INLINE_FUNCTION int tiles() const { return static_cast<int>(numbers.extent(0)); }
  KOKKOS_INLINE_FUNCTION bool full(int tile) const {
    return (static_cast<std::size_t>(tile) + 1) * tile_size <= elements.extent(0);
  }
  /// Element i of a tile. Past the end zero, which votes for nothing.
  KOKKOS_INLINE_FUNCTION T element(int tile, int i) const {
    const std::size_t at = static_cast<std::size_t>(tile) * tile_size + i;
    return at < elements.extent(0) ? elements(at) : T(0);
  }
  /// Pack i of a full tile.
  KOKKOS_INLINE_FUNCTION Pack<T> pack(int tile, int i) const {
    return packs(static_cast<std::size_t>(tile) * (tile_size / Pack<T>::length) + i);
  }
  KOKKOS_INLINE_FUNCTION void write(int tile, unsigned ballots) const {
    numbers(tile, 0) = non_zeros(ballots);
    numbers(tile, 1) = any_nan(ballots);
    numbers(tile, 2) = all_in_range(ballots);
  }
};

/// The votes of `count` elements of a tile, from element `first` on.
template <int count, class T>
KOKKOS_INLINE_FUNCTION unsigned votes_of_elements(const Field<T>& field, int tile, int first) {
  unsigned votes = 0;
  if (field.full(tile)) {
    const std::size_t from = static_cast<std::size_t>(tile) * tile_size + first;
    for (int i = 0; i < count; ++i) votes += votes_selected(field.elements(from + i));
  } else {
    for (int i = 0; i < count; ++i) votes += votes_selected(field.element(tile, first + i));
  }
  return votes;
}

/// barrier_vote: a team votes on its tile in rounds of 128 elements. Voters (128, or one on a host)
/// add their votes to the round's word in scratch. After a barrier all threads know the result.
template <int voters, class T>
void barrier_vote(const Space& space, int team_size, const Field<T>& field) {
  constexpr int rounds = tile_size / team_threads, each = team_threads / voters;
  Teams teams(space, field.tiles(), team_size, lanes);
  teams.set_scratch_size(0, Kokkos::PerTeam(Scratch<unsigned[rounds]>::shmem_size()));
  Kokkos::parallel_for(
      "block_vote::book::barrier_vote", teams, KOKKOS_LAMBDA(const Member& team) {
        const int tile = team.league_rank();
        const Scratch<unsigned[rounds]> of_rounds(team.team_scratch(0));
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, rounds),
                             [&](int round) { of_rounds(round) = 0; });
        team.team_barrier();
        unsigned ballots = 0;
        for (int half = 0; half < 2; ++half) {
          unsigned sum = 0;  // votes of half a tile, which ten bits can hold
          for (int round = half * rounds / 2; round < (half + 1) * rounds / 2; ++round) {
            Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, voters), [&](int voter) {
              const int first = round * team_threads + voter * each;
              Kokkos::atomic_add(&of_rounds(round), votes_of_elements<each>(field, tile, first));
            });
            team.team_barrier();
            sum += of_rounds(round);
          }
          ballots += ballot_of(sum);
        }
        Kokkos::single(Kokkos::PerTeam(team), [&] { field.write(tile, ballots); });
      });
}

/// A word a lane of a team.
using Words = Scratch<unsigned[warps][lanes]>;

/// Writes what a tile's 128 lanes vote. votes_of(i) are the votes of lane i, which go to scratch.
/// After a barrier the lanes of one thread add them up.
template <class T, class Votes>
KOKKOS_INLINE_FUNCTION void add_up(const Member& team, const Field<T>& field,
                                   const Votes& votes_of) {
  const Words words(team.team_scratch(0));
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, warps), [&](int warp) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, lanes),
                         [&](int lane) { words(warp, lane) = votes_of(warp * lanes + lane); });
  });
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, 1), [&](int) {
    unsigned ballots = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, 0, lanes),
        [&](int lane, unsigned& sum) {
          unsigned votes = 0;
          for (int warp = 0; warp < warps; ++warp) votes += words(warp, lane);
          sum += ballot_of(votes);
        },
        ballots);
    Kokkos::single(Kokkos::PerThread(team), [&] { field.write(team.league_rank(), ballots); });
  });
}

/// warp_vote: a lane loads its eight elements of the team's tile before it looks at the first.
template <class T>
void warp_vote(const Space& space, int team_size, const Field<T>& field) {
  constexpr int loads = tile_size / team_threads;
  Teams teams(space, field.tiles(), team_size, lanes);
  teams.set_scratch_size(0, Kokkos::PerTeam(Words::shmem_size()));
  Kokkos::parallel_for(
      "block_vote::book::warp_vote", teams, KOKKOS_LAMBDA(const Member& team) {
        add_up(team, field, [&](int lane) {
          T loaded[loads];
          for (int k = 0; k < loads; ++k) {
            loaded[k] = field.element(team.league_rank(), k * team_threads + lane);
          }
          unsigned votes = 0;
          for (int k = 0; k < loads; ++k) votes += votes_of(loaded[k]);
          return votes;
        });
      });
}

/// The votes of `count` packs of a tile, from pack `first` on and `stride` packs apart. All are
/// loaded before the first is looked at.
template <int count, int stride, class T>
KOKKOS_INLINE_FUNCTION unsigned votes_of_packs(const Field<T>& field, int tile, int first) {
  constexpr int length = Pack<T>::length;
  Pack<T> loaded[count];
  if (field.full(tile)) {
    for (int k = 0; k < count; ++k) loaded[k] = field.pack(tile, first + k * stride);
  } else {
    for (int k = 0; k < count; ++k) {
      for (int j = 0; j < length; ++j) {
        loaded[k].at[j] = field.element(tile, (first + k * stride) * length + j);
      }
    }
  }
  unsigned votes = 0;
  for (int k = 0; k < count; ++k) {
    for (int j = 0; j < length; ++j) votes += votes_of(loaded[k].at[j]);
  }
  return votes;
}

/// packed_vote: a lane loads its elements of the team's tile in packs of 16 bytes.
template <class T>
void packed_vote(const Space& space, int team_size, const Field<T>& field) {
  constexpr int loads = tile_size / Pack<T>::length / team_threads;
  Teams teams(space, field.tiles(), team_size, lanes);
  teams.set_scratch_size(0, Kokkos::PerTeam(Words::shmem_size()));
  Kokkos::parallel_for(
      "block_vote::book::packed_vote", teams, KOKKOS_LAMBDA(const Member& team) {
        add_up(team, field, [&](int lane) {
          return votes_of_packs<loads, team_threads>(field, team.league_rank(), lane);
        });
      });
}

/// warp_tile: a thread of the team has a tile, and its lanes add up their votes, without barriers
/// and scratch. Eight packs are in flight a lane.
template <class T>
void warp_tile(const Space& space, int team_size, const Field<T>& field) {
  constexpr int loads = 8, packs = tile_size / Pack<T>::length;
  Kokkos::parallel_for(
      "block_vote::book::warp_tile",
      Teams(space, (field.tiles() + warps - 1) / warps, team_size, lanes),
      KOKKOS_LAMBDA(const Member& team) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, warps), [&](int warp) {
          const int tile = team.league_rank() * warps + warp;
          if (tile >= field.tiles()) return;
          unsigned ballots = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, 0, lanes),
              [&](int lane, unsigned& sum) {
                unsigned votes = 0;
                for (int first = lane; first < packs; first += loads * lanes) {
                  votes += votes_of_packs<loads, lanes>(field, tile, first);
                }
                sum += ballot_of(votes);
              },
              ballots);
          Kokkos::single(Kokkos::PerThread(team), [&] { field.write(tile, ballots); });
        });
      });
}

/// warp_tile on a host: a thread has a tile to itself, and takes it by halves.
template <class T>
void warp_tile_of_hosts(const Space& space, const Field<T>& field) {
  Kokkos::parallel_for(
      "block_vote::book::warp_tile", Kokkos::RangePolicy<Space>(space, 0, field.tiles()),
      KOKKOS_LAMBDA(const int tile) {
        const std::size_t n = field.elements.extent(0);
        std::size_t i = static_cast<std::size_t>(tile) * tile_size;
        unsigned ballots = 0;
        for (int half = 0; half < 2 && i < n; ++half) {
          const std::size_t end = n - i < half_tile ? n : i + half_tile;
          unsigned votes = 0;
          for (; i < end; ++i) votes += votes_of(field.elements(i));
          ballots += ballot_of(votes);
        }
        field.write(tile, ballots);
      });
}

}  // namespace portcost::block_vote::book
