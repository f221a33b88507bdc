// SPDX-License-Identifier: Apache-2.0
// Portable variants: votes are sums, of three numbers in one word. What lies past the end of the
// last tile reads as zero, which votes for nothing.
#include "variants/block_vote/bodies.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::block_vote {

namespace {

// The sum of what all items of a team vote, votes_of_item(i) the votes of thread and lane i: left
// in scratch, and added up by the lanes of one thread, which gives it to f. One barrier. (A team
// reduction, or one over the lanes of each thread, has a tree of shuffles for every warp.)
template <class On, class Words, class F, class G>
KOKKOS_INLINE_FUNCTION void add_team(const typename On::Member& team, const Words& words,
                                     const F& votes_of_item, const G& f) {
  using Index = typename On::Index;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{team_threads}),
                       [&](Index i) { words[i] = votes_of_item(static_cast<unsigned>(i)); });
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{1}), [&](Index) {
    unsigned ballots = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Index{lanes}),
        [&](Index lane, unsigned& sum) {
          unsigned votes = 0;
#pragma unroll
          for (unsigned warp = 0; warp < team_warps; ++warp) votes += words[warp * lanes + lane];
          sum += ballot_of(votes);
        },
        ballots);
    Kokkos::single(Kokkos::PerThread(team), [&] { f(ballots); });
  });
}

// All of the team know each round's votes before the next: the voters add theirs to a word of
// scratch that the round has to itself, and all read it after the round's one barrier. (A reduction
// over the team or over the lanes of each thread has trees of shuffles instead.)
template <class T>
struct BarrierVote {
  using On = Teams<team_warps>;
  using Index = typename On::Index;
  static constexpr unsigned round_voters = voters(kokkos_shapes),
                            each = team_threads / round_voters;
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    // A full tile needs no guards.
    const unsigned ballots =
        s.size(team.league_rank()) == tile_size ? ballots_of<true>(team) : ballots_of<false>(team);
    Kokkos::single(Kokkos::PerTeam(team),
                   [&] { write_votes(s.numbers_of(team.league_rank()), ballots); });
  }

  template <bool full>
  KOKKOS_FUNCTION unsigned ballots_of(const typename On::Member& team) const {
    const T* const x = s.elements(team.league_rank());
    const unsigned size = s.size(team.league_rank());
    unsigned* const of_rounds = On::template scratch_unchecked<unsigned>(team, rounds);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{rounds}),
                         [&](Index r) { of_rounds[r] = 0; });
    team.team_barrier();
    unsigned halves[2] = {0, 0};  // votes of half a tile, which ten bits can hold
#pragma unroll
    for (unsigned r = 0; r < rounds; ++r) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{round_voters}), [&](Index voter) {
        const unsigned first = r * team_threads + static_cast<unsigned>(voter) * each;
        const T* const mine = x + first;
        unsigned votes = 0;
#pragma unroll
        for (unsigned e = 0; e < each; ++e) {
          votes += votes_selected(full || first + e < size ? mine[e] : T(0));
        }
        Kokkos::atomic_add(of_rounds + r, votes);
      });
      team.team_barrier();
      halves[r * team_threads / half_tile] += of_rounds[r];
    }
    return ballot_of(halves[0]) + ballot_of(halves[1]);
  }
};

// Eight loads in flight a lane.
template <class T>
struct WarpVote {
  using On = Teams<team_warps>;
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const T* const x = s.elements(team.league_rank());
    const unsigned size = s.size(team.league_rank());
    const auto words = On::template scratch<unsigned>(team, team_threads);
    add_team<On>(
        team, words,
        [&](unsigned item) {
          T elements[rounds];
#pragma unroll
          for (unsigned r = 0; r < rounds; ++r) {
            const unsigned i = r * team_threads + item;
            elements[r] = i < size ? x[i] : T(0);
          }
          unsigned votes = 0;
#pragma unroll
          for (unsigned r = 0; r < rounds; ++r) votes += votes_of(elements[r]);
          return votes;
        },
        [&](unsigned ballots) { write_votes(s.numbers_of(team.league_rank()), ballots); });
  }
};

// 16-byte loads.
template <class T>
struct PackedVote {
  using On = Teams<team_warps>;
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const T* const x = s.elements(team.league_rank());
    const unsigned size = s.size(team.league_rank());
    const auto words = On::template scratch<unsigned>(team, team_threads);
    add_team<On>(
        team, words,
        [&](unsigned item) { return votes_of_packs<team_packs<T>, team_threads>(x, size, item); },
        [&](unsigned ballots) { write_votes(s.numbers_of(team.league_rank()), ballots); });
  }
};

// A tile a thread of the team and its lanes: no barrier at all, and eight loads in flight a lane.
template <class T>
struct WarpTile {
  using On = Teams<tile_warps>;
  using Index = typename On::Index;
  static constexpr unsigned team_tiles = tile_shape(kokkos_shapes).tiles,
                            tile_lanes = tile_shape(kokkos_shapes).lanes;
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{team_tiles}), [&](Index i) {
      const unsigned tile = team.league_rank() * team_tiles + static_cast<unsigned>(i);
      if (tile >= s.tiles()) return;
      const unsigned ballots = tile_lanes == 1 ? halves(team, tile) : packs(team, tile);
      Kokkos::single(Kokkos::PerThread(team), [&] { write_votes(s.numbers_of(tile), ballots); });
    });
  }

  KOKKOS_FUNCTION unsigned packs(const typename On::Member& team, unsigned tile) const {
    const T* const x = s.elements(tile);
    const unsigned size = s.size(tile);
    unsigned ballots = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Index{lanes}),
        [&](Index lane, unsigned& sum) {
          unsigned votes = 0;
#pragma unroll
          for (unsigned k = 0; k < warp_packs<T>; k += warp_loads) {
            votes +=
                votes_of_packs<warp_loads, lanes>(x, size, k * lanes + static_cast<unsigned>(lane));
          }
          sum += ballot_of(votes);
        },
        ballots);
    return ballots;
  }

  // One lane: the vectors of a host are in its compiler.
  KOKKOS_FUNCTION unsigned halves(const typename On::Member& team, unsigned tile) const {
    const T* const x = s.elements(tile);
    const unsigned size = s.size(tile);
    unsigned ballots = 0;
    for (unsigned first = 0; first < size; first += half_tile) {
      unsigned votes = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, first, compat::min(size, first + half_tile)),
          [&](unsigned i, unsigned& sum) { sum += votes_of(x[i]); }, votes);
      ballots += ballot_of(votes);
    }
    return ballots;
  }
};

// A kernel on `teams` teams.
template <template <class> class Kernel, class T>
void launch(const char* name, const Field<T>& s, const Stream& stream, unsigned teams,
            int scratch = 0) {
  if (s.n == 0) return;
  using Made = Kernel<T>;
  Kokkos::parallel_for(name, Made::On::policy(stream, static_cast<int>(teams), scratch), Made{s});
}

}  // namespace

Rungs kokkos_rungs() {
  const auto barrier_vote = [](const auto& s, const Stream& on) {
    launch<BarrierVote>("portcost::block_vote::barrier_vote", s, on, s.tiles(),
                        scratch_bytes<unsigned>(rounds));
  };
  const auto warp_vote = [](const auto& s, const Stream& on) {
    launch<WarpVote>("portcost::block_vote::warp_vote", s, on, s.tiles(),
                     scratch_bytes<unsigned>(team_threads));
  };
  const auto packed_vote = [](const auto& s, const Stream& on) {
    launch<PackedVote>("portcost::block_vote::packed_vote", s, on, s.tiles(),
                       scratch_bytes<unsigned>(team_threads));
  };
  const auto warp_tile = [](const auto& s, const Stream& on) {
    launch<WarpTile>("portcost::block_vote::warp_tile", s, on,
                     ceil_div(s.tiles(), tile_shape(kokkos_shapes).tiles));
  };
  return {rung(works, "barrier_vote", barrier_vote), rung(works, "warp_vote", warp_vote),
          rung(works, "packed_vote", packed_vote), rung(works, "warp_tile", warp_tile)};
}

}  // namespace portcost::block_vote
