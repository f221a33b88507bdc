// SPDX-License-Identifier: Apache-2.0
// Portable variants: votes are sums over a team or over the lanes of a thread, of three numbers in
// one word. What lies past the end of the last tile reads as zero, which votes for nothing.
#include "variants/block_vote/problem.hpp"
#include "variants/kokkos_team.hpp"

namespace portcost::block_vote {

namespace {

KOKKOS_INLINE_FUNCTION void write_votes(int* out, unsigned ballots) {
  out[0] = non_zeros(ballots);
  out[1] = any_nan(ballots);
  out[2] = all_in_range(ballots);
}

// What `count` packs of an item vote, `stride` packs apart, `first` the number of its first. They
// are all loaded before the first is looked at.
template <unsigned count, unsigned stride, class T>
KOKKOS_INLINE_FUNCTION unsigned votes_of_packs(const T* x, unsigned size, unsigned first) {
  constexpr unsigned width = pack_width<T>;
  Pack<T> packs[count];
  unsigned votes = 0;
  if (size == tile_size) {
#pragma unroll
    for (unsigned k = 0; k < count; ++k) {
      packs[k] = reinterpret_cast<const Pack<T>*>(x)[first + k * stride];
    }
  } else {
#pragma unroll
    for (unsigned k = 0; k < count; ++k) {
#pragma unroll
      for (unsigned j = 0; j < width; ++j) {
        const unsigned i = (first + k * stride) * width + j;
        packs[k].at[j] = i < size ? x[i] : T(0);
      }
    }
  }
#pragma unroll
  for (unsigned k = 0; k < count; ++k) {
#pragma unroll
    for (unsigned j = 0; j < width; ++j) votes += votes_of(packs[k].at[j]);
  }
  return votes;
}

// A team reduction a round.
template <class T, Way way>
struct BarrierVote {
  using On = Teams<way, barrier_warps>;
  using Index = typename On::Index;
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const T* const x = s.elements(team.league_rank());
    const unsigned size = s.size(team.league_rank());
    unsigned ballots = 0;
    for (unsigned r = 0; r < barrier_rounds; ++r) {
      const unsigned first = r * barrier_threads, left = size - compat::min(size, first);
      const auto count = static_cast<Index>(compat::min(left, unsigned{barrier_threads}));
      unsigned votes = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, count),
          [&](Index i, unsigned& sum) { sum += votes_of(x[first + static_cast<unsigned>(i)]); },
          votes);
      ballots += ballot_of(votes);
    }
    Kokkos::single(Kokkos::PerTeam(team),
                   [&] { write_votes(s.numbers_of(team.league_rank()), ballots); });
  }
};

// Lanes vote, votes_of_item(i) the votes of thread and lane i of the team; one barrier, and one
// thread adds up.
template <class On, class T, class F>
KOKKOS_INLINE_FUNCTION void vote_by_warps(const Field<T>& s, const typename On::Member& team,
                                          const F& votes_of_item) {
  using Index = typename On::Index;
  unsigned* const of_warps = On::template scratch<unsigned>(team, team_warps);
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{team_warps}), [&](Index warp) {
    unsigned votes = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Index{lanes}),
        [&](Index lane, unsigned& sum) {
          sum += votes_of_item(static_cast<unsigned>(warp * lanes + lane));
        },
        votes);
    Kokkos::single(Kokkos::PerThread(team), [&] { of_warps[warp] = ballot_of(votes); });
  });
  team.team_barrier();
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    unsigned ballots = 0;
#pragma unroll
    for (unsigned warp = 0; warp < team_warps; ++warp) ballots += of_warps[warp];
    write_votes(s.numbers_of(team.league_rank()), ballots);
  });
}

// Four loads in flight a lane.
template <class T, Way way>
struct WarpVote {
  using On = Teams<way, team_warps>;
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const T* const x = s.elements(team.league_rank());
    const unsigned size = s.size(team.league_rank());
    vote_by_warps<On>(s, team, [&](unsigned item) {
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
    });
  }
};

// 16-byte loads.
template <class T, Way way>
struct PackedVote {
  using On = Teams<way, team_warps>;
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const T* const x = s.elements(team.league_rank());
    const unsigned size = s.size(team.league_rank());
    vote_by_warps<On>(s, team, [&](unsigned item) {
      return votes_of_packs<team_packs<T>, team_threads>(x, size, item);
    });
  }
};

// A tile a thread of the team and its lanes: no barrier at all, and eight loads in flight a lane.
template <class T, Way way>
struct WarpTile {
  using On = Teams<way, tile_warps>;
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
template <template <class, Way> class Kernel, Way way, class T>
void launch(const char* name, const Field<T>& s, const Stream& stream, unsigned teams,
            int scratch = 0) {
  if (s.n == 0) return;
  using Made = Kernel<T, way>;
  Kokkos::parallel_for(name, Made::On::policy(stream, static_cast<int>(teams), scratch), Made{s});
}

}  // namespace

Rungs kokkos_rungs() {
  const auto barrier_vote = [](auto way, const auto& s, const Stream& on) {
    launch<BarrierVote, way.value>("portcost::block_vote::barrier_vote", s, on, s.tiles());
  };
  const auto warp_vote = [](auto way, const auto& s, const Stream& on) {
    launch<WarpVote, way.value>("portcost::block_vote::warp_vote", s, on, s.tiles(),
                                scratch_bytes<unsigned>(team_warps));
  };
  const auto packed_vote = [](auto way, const auto& s, const Stream& on) {
    launch<PackedVote, way.value>("portcost::block_vote::packed_vote", s, on, s.tiles(),
                                  scratch_bytes<unsigned>(team_warps));
  };
  const auto warp_tile = [](auto way, const auto& s, const Stream& on) {
    launch<WarpTile, way.value>("portcost::block_vote::warp_tile", s, on,
                                ceil_div(s.tiles(), tile_shape(kokkos_shapes).tiles));
  };
  return joined(
      {team_step(works, "barrier_vote", barrier_vote), team_step(works, "warp_vote", warp_vote),
       team_step(works, "packed_vote", packed_vote), team_step(works, "warp_tile", warp_tile)});
}

}  // namespace portcost::block_vote
