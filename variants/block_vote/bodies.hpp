// SPDX-License-Identifier: Apache-2.0
// What CUDA's kernels and the tuned kernels do alike. An item is a thread of a block, or an item of
// a team's range.
#pragma once

#include "variants/block_vote/problem.hpp"

namespace portcost::block_vote {

PORTCOST_HOST_DEVICE inline void write_votes(int* out, unsigned ballots) {
  out[0] = non_zeros(ballots);
  out[1] = any_nan(ballots);
  out[2] = all_in_range(ballots);
}

/// What `count` packs of an item vote, `stride` packs apart, `first` the number of its first. They
/// are all loaded before the first is looked at.
template <unsigned count, unsigned stride, class T>
PORTCOST_HOST_DEVICE inline unsigned votes_of_packs(const T* x, unsigned size, unsigned first) {
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

}  // namespace portcost::block_vote
