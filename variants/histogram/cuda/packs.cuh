// SPDX-License-Identifier: Apache-2.0
// For the native GPU variants: zeroed counts, and keys read in packs.
#pragma once

#include "src/memory/cuda_check.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost::histogram::cuda {

inline constexpr Place here = Place::device;
inline constexpr Shape plain = plain_shape(here), wide = wide_shape(here);

// The step of copies.cu, to which lane_private falls back where its columns do not fit.
void lane_striped(const Keys& s, const Stream& stream);

inline void zero(const Keys& s, const Stream& stream) {
  cuda_check(cudaMemsetAsync(s.out, 0, s.bins * sizeof(unsigned), stream.native()));
}

// Calls count(key, valid) for this thread's keys, with all lanes of a warp together: packs of full
// tiles, packs of the last tile, and the remaining keys. All threads of the block call every()
// after each `trips` full tiles (0: never).
template <Shape shape, unsigned trips, class Count, class Every>
__device__ void for_keys(const Keys& s, const Plan& p, const Count& count, const Every& every) {
  constexpr unsigned threads = shape.threads(), tile_packs = threads * shape.loads;
  const auto* const packs = reinterpret_cast<const Pack*>(s.in) + threadIdx.x;
  const Turns turns = turns_of<here>(p.tiles, blockIdx.x, gridDim.x);
  Pack next[shape.loads];
  const auto load = [&](unsigned from) {
    const Pack* const first = packs + std::uint64_t{from} * tile_packs;
#pragma unroll
    for (unsigned k = 0; k < shape.loads; ++k) next[k] = first[k * threads];
  };
  unsigned tile = turns.first, trip = 0;
  if (tile < p.full) load(tile);
  while (tile < p.full) {
    Pack keys[shape.loads];
#pragma unroll
    for (unsigned k = 0; k < shape.loads; ++k) keys[k] = next[k];
    tile += turns.step;
    if (tile < p.full) load(tile);  // prefetched while these are counted
#pragma unroll
    for (unsigned k = 0; k < shape.loads; ++k) {
#pragma unroll
      for (unsigned j = 0; j < pack_width; ++j) count(keys[k].at[j], true);
    }
    if constexpr (trips != 0) {
      if (++trip == trips) {
        every();
        trip = 0;
      }
    }
  }
  if (tile < turns.end) {
    const unsigned begin = tile * tile_packs, left = p.packs - begin;
#pragma unroll
    for (unsigned k = 0; k < shape.loads; ++k) {
      const bool valid = threadIdx.x + k * threads < left;
      const Pack keys = valid ? packs[begin + k * threads] : Pack{};
#pragma unroll
      for (unsigned j = 0; j < pack_width; ++j) count(keys.at[j], valid);
    }
  }
  if (blockIdx.x == 0) {
    const unsigned rest = p.packs * pack_width + threadIdx.x;
    count(rest < s.n ? s.in[rest] : 0, rest < s.n);
  }
}

}  // namespace portcost::histogram::cuda
