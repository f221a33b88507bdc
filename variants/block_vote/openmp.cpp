// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over tiles, vectors along a tile.
#include <algorithm>

#include "variants/block_vote/problem.hpp"

namespace portcost::block_vote {

namespace {

// A pass for all votes, over as many elements at a time as a device's team has threads.
constexpr auto barrier_vote = []<class T>(const Field<T>& s, const Stream&) {
  const unsigned tiles = s.tiles();
#pragma omp parallel for schedule(static)
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const T* const x = s.elements(tile);
    const unsigned size = s.size(tile);
    int count = 0, nan = 0, all = 1;
    for (unsigned first = 0; first < size; first += team_threads) {
      const unsigned end = std::min(size, first + team_threads);
      for (unsigned i = first; i < end; ++i) {
        count += non_zero(x[i]);
        nan |= is_nan(x[i]);
        all &= in_range(x[i]);
      }
    }
    int* const out = s.numbers_of(tile);
    out[0] = count;
    out[1] = nan;
    out[2] = all;
  }
};

// One pass for all votes.
constexpr auto warp_tile = []<class T>(const Field<T>& s, const Stream&) {
  const unsigned tiles = s.tiles();
#pragma omp parallel for schedule(static)
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const T* const x = s.elements(tile);
    const unsigned size = s.size(tile);
    unsigned ballots = 0;
    for (unsigned first = 0; first < size; first += half_tile) {
      const unsigned end = std::min(size, first + half_tile);
      unsigned votes = 0;
      for (unsigned i = first; i < end; ++i) votes += votes_of(x[i]);
      ballots += ballot_of(votes);
    }
    int* const out = s.numbers_of(tile);
    out[0] = non_zeros(ballots);
    out[1] = any_nan(ballots);
    out[2] = all_in_range(ballots);
  }
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "barrier_vote", barrier_vote), rung(works, "warp_tile", warp_tile)};
}

}  // namespace portcost::block_vote
