// SPDX-License-Identifier: Apache-2.0
// Portable variants: votes are reductions over a team or over the lanes of a thread. What lies past
// the end of the last tile reads as zero, which votes for nothing.
#include "variants/block_vote/problem.hpp"
#include "variants/kokkos_legacy.hpp"

namespace portcost::block_vote {

namespace {

constexpr bool on_host = kokkos_shapes == Place::host;

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

// A team reduction a vote and round. An item keeps nothing from one range to the next, so it reads
// its element for each.
template <class T>
struct BarrierVote {
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const Member<team_warps>& team) const {
    assume_team_size<team_warps>(team);
    const T* const x = s.elements(team.league_rank());
    const unsigned size = s.size(team.league_rank());
    int count = 0, nan = 0, all = 1;
    for (unsigned r = 0; r < rounds; ++r) {
      // A device's team asks each of its threads; a host's stops at the end.
      const unsigned first = r * team_threads, left = size - compat::min(size, first);
      const auto range = Kokkos::TeamVectorRange(
          team, RangeIndex{on_host ? compat::min(left, unsigned{team_threads}) : team_threads});
      const auto mine = [&](RangeIndex item) {
        const unsigned i = first + static_cast<unsigned>(item);
        return on_host || i < size ? x[i] : T(0);
      };
      int some = 0, any = 0, every = 0;
      Kokkos::parallel_reduce(
          range, [&](RangeIndex i, int& vote) { vote += non_zero(mine(i)); }, some);
      Kokkos::parallel_reduce(
          range, [&](RangeIndex i, int& vote) { vote |= is_nan(mine(i)); }, Kokkos::LOr<int>(any));
      Kokkos::parallel_reduce(
          range, [&](RangeIndex i, int& vote) { vote &= in_range(mine(i)); },
          Kokkos::LAnd<int>(every));
      count += some;
      nan |= any;
      all &= every;
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      int* const out = s.numbers_of(team.league_rank());
      out[0] = count;
      out[1] = nan != 0;
      out[2] = all != 0;
    });
  }
};

// Lanes vote by themselves; one barrier, and one thread adds up.
template <class T>
struct WarpVote {
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const Member<team_warps>& team) const {
    assume_team_size<team_warps>(team);
    int* const of_warps = scratch<int>(team, team_warps * numbers);
    const T* const x = s.elements(team.league_rank());
    const unsigned size = s.size(team.league_rank());
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(team, RangeIndex{team_warps}), [&](RangeIndex warp) {
          const auto range = Kokkos::ThreadVectorRange(team, RangeIndex{lanes});
          const auto mine = [&](RangeIndex lane, unsigned r) {
            const unsigned i = r * team_threads + static_cast<unsigned>(warp * lanes + lane);
            return i < size ? x[i] : T(0);
          };
          int count = 0, nan = 0, all = 0;
          Kokkos::parallel_reduce(
              range,
              [&](RangeIndex lane, int& vote) {
#pragma unroll
                for (unsigned r = 0; r < rounds; ++r) vote += non_zero(mine(lane, r));
              },
              count);
          Kokkos::parallel_reduce(
              range,
              [&](RangeIndex lane, int& vote) {
#pragma unroll
                for (unsigned r = 0; r < rounds; ++r) vote |= is_nan(mine(lane, r));
              },
              Kokkos::LOr<int>(nan));
          Kokkos::parallel_reduce(
              range,
              [&](RangeIndex lane, int& vote) {
#pragma unroll
                for (unsigned r = 0; r < rounds; ++r) vote &= in_range(mine(lane, r));
              },
              Kokkos::LAnd<int>(all));
          Kokkos::single(Kokkos::PerThread(team), [&] {
            int* const own = of_warps + warp * numbers;
            own[0] = count;
            own[1] = nan != 0;
            own[2] = all != 0;
          });
        });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      int count = 0, nan = 0, all = 1;
#pragma unroll
      for (unsigned warp = 0; warp < team_warps; ++warp) {
        count += of_warps[warp * numbers];
        nan |= of_warps[warp * numbers + 1];
        all &= of_warps[warp * numbers + 2];
      }
      int* const out = s.numbers_of(team.league_rank());
      out[0] = count;
      out[1] = nan;
      out[2] = all;
    });
  }
};

// 16-byte loads; the three votes of an item in one word, so that one sum decides all three.
template <class T>
struct PackedVote {
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const Member<team_warps>& team) const {
    assume_team_size<team_warps>(team);
    const T* const x = s.elements(team.league_rank());
    const unsigned size = s.size(team.league_rank());
    unsigned ballots = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, RangeIndex{team_threads}),
        [&](RangeIndex i, unsigned& sum) {
          sum += ballot_of(
              votes_of_packs<team_packs<T>, team_threads>(x, size, static_cast<unsigned>(i)));
        },
        ballots);
    Kokkos::single(Kokkos::PerTeam(team),
                   [&] { write_votes(s.numbers_of(team.league_rank()), ballots); });
  }
};

// A tile a thread of the team and its lanes: no barrier at all, and eight loads in flight a lane.
template <class T>
struct WarpTile {
  static constexpr unsigned team_tiles = on_host ? host_tiles : tile_warps;
  Field<T> s;

  KOKKOS_FUNCTION void operator()(const Member<tile_warps>& team) const {
    assume_team_size<tile_warps>(team);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, RangeIndex{team_tiles}), [&](RangeIndex i) {
      const unsigned tile = team.league_rank() * team_tiles + static_cast<unsigned>(i);
      if (tile >= s.tiles()) return;
      const unsigned ballots = on_host ? halves(team, tile) : packs(team, tile);
      Kokkos::single(Kokkos::PerThread(team), [&] { write_votes(s.numbers_of(tile), ballots); });
    });
  }

  KOKKOS_FUNCTION unsigned packs(const Member<tile_warps>& team, unsigned tile) const {
    const T* const x = s.elements(tile);
    const unsigned size = s.size(tile);
    unsigned ballots = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, RangeIndex{lanes}),
        [&](RangeIndex lane, unsigned& sum) {
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
  KOKKOS_FUNCTION unsigned halves(const Member<tile_warps>& team, unsigned tile) const {
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

template <unsigned warps, template <class> class Step, class T>
void launch(const char* name, const Field<T>& s, const Stream& stream, unsigned teams,
            int scratch = 0) {
  if (s.n == 0) return;
  Kokkos::parallel_for(name, team_policy<warps>(stream, static_cast<int>(teams), scratch),
                       Step<T>{s});
}

template <class T>
void barrier_vote(const Field<T>& s, const Stream& stream) {
  launch<team_warps, BarrierVote>("portcost::block_vote::barrier_vote", s, stream, s.tiles());
}

template <class T>
void warp_vote(const Field<T>& s, const Stream& stream) {
  launch<team_warps, WarpVote>("portcost::block_vote::warp_vote", s, stream, s.tiles(),
                               scratch_bytes<int>(team_warps * numbers));
}

template <class T>
void packed_vote(const Field<T>& s, const Stream& stream) {
  launch<team_warps, PackedVote>("portcost::block_vote::packed_vote", s, stream, s.tiles());
}

template <class T>
void warp_tile(const Field<T>& s, const Stream& stream) {
  launch<tile_warps, WarpTile>("portcost::block_vote::warp_tile", s, stream,
                               ceil_div(s.tiles(), WarpTile<T>::team_tiles));
}

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "barrier_vote", [](const auto& s, const Stream& on) { barrier_vote(s, on); }),
          rung(works, "warp_vote", [](const auto& s, const Stream& on) { warp_vote(s, on); }),
          rung(works, "packed_vote", [](const auto& s, const Stream& on) { packed_vote(s, on); }),
          rung(works, "warp_tile", [](const auto& s, const Stream& on) { warp_tile(s, on); })};
}

}  // namespace portcost::block_vote
