// SPDX-License-Identifier: Apache-2.0
// Native GPU variants. What lies past the end of the last tile reads as zero, which votes for
// nothing.
#include "src/memory/cuda_check.hpp"
#include "variants/block_vote/bodies.hpp"

namespace portcost::block_vote {

namespace {

// The sum over a warp, in lane 0 at least.
__device__ unsigned add_lanes(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, value);
#else
#pragma unroll
  for (int offset = lanes / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(~0u, value, offset);
  }
  return value;
#endif
}

// The barrier itself counts votes.
template <class T>
__global__ void __launch_bounds__(team_threads) barrier_vote_kernel(Field<T> s) {
  const T* const x = s.elements(blockIdx.x);
  const unsigned size = s.size(blockIdx.x);
  int count = 0, nan = 0, all = 1;
#pragma unroll
  for (unsigned r = 0; r < rounds; ++r) {
    const unsigned i = r * team_threads + threadIdx.x;
    const T mine = i < size ? x[i] : T(0);
    count += __syncthreads_count(non_zero(mine));
    nan |= __syncthreads_or(is_nan(mine));
    all &= __syncthreads_and(in_range(mine));
  }
  if (threadIdx.x != 0) return;
  int* const out = s.numbers_of(blockIdx.x);
  out[0] = count;
  out[1] = nan != 0;
  out[2] = all != 0;
}

// Warps vote by themselves; one barrier, and one thread adds up.
template <class T>
__global__ void __launch_bounds__(team_threads) warp_vote_kernel(Field<T> s) {
  __shared__ int of_warps[team_warps][numbers];
  const T* const x = s.elements(blockIdx.x);
  const unsigned size = s.size(blockIdx.x);
  T mine[rounds];
#pragma unroll
  for (unsigned r = 0; r < rounds; ++r) {
    const unsigned i = r * team_threads + threadIdx.x;
    mine[r] = i < size ? x[i] : T(0);
  }
  int count = 0, nan = 0, all = 1;
#pragma unroll
  for (unsigned r = 0; r < rounds; ++r) {
    count += __popc(__ballot_sync(~0u, non_zero(mine[r])));
    nan |= __any_sync(~0u, is_nan(mine[r]));
    all &= __all_sync(~0u, in_range(mine[r]));
  }
  if (threadIdx.x % lanes == 0) {
    int* const own = of_warps[threadIdx.x / lanes];
    own[0] = count;
    own[1] = nan;
    own[2] = all;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
#pragma unroll
  for (unsigned warp = 1; warp < team_warps; ++warp) {
    count += of_warps[warp][0];
    nan |= of_warps[warp][1];
    all &= of_warps[warp][2];
  }
  int* const out = s.numbers_of(blockIdx.x);
  out[0] = count;
  out[1] = nan;
  out[2] = all;
}

// 16-byte loads; the three votes of a thread in one word, so that one sum decides all three.
template <class T>
__global__ void __launch_bounds__(team_threads) packed_vote_kernel(Field<T> s) {
  __shared__ unsigned of_warps[team_warps];
  const unsigned votes = add_lanes(votes_of_packs<team_packs<T>, team_threads>(
      s.elements(blockIdx.x), s.size(blockIdx.x), threadIdx.x));
  if (threadIdx.x % lanes == 0) of_warps[threadIdx.x / lanes] = ballot_of(votes);
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned ballots = 0;
#pragma unroll
  for (unsigned warp = 0; warp < team_warps; ++warp) ballots += of_warps[warp];
  write_votes(s.numbers_of(blockIdx.x), ballots);
}

// A tile a warp: no barrier at all, and eight loads in flight a thread.
template <class T>
__global__ void __launch_bounds__(lanes* tile_warps) warp_tile_kernel(Field<T> s) {
  const unsigned tile = blockIdx.x * tile_warps + threadIdx.y;
  if (tile >= s.tiles()) return;
  const T* const x = s.elements(tile);
  const unsigned size = s.size(tile);
  unsigned votes = 0;
#pragma unroll
  for (unsigned k = 0; k < warp_packs<T>; k += warp_loads) {
    votes += votes_of_packs<warp_loads, lanes>(x, size, k * lanes + threadIdx.x);
  }
  const unsigned ballots = add_lanes(ballot_of(votes));
  if (threadIdx.x != 0) return;
  write_votes(s.numbers_of(tile), ballots);
}

constexpr auto barrier_vote = []<class T>(const Field<T>& s, const Stream& stream) {
  if (s.n == 0) return;
  barrier_vote_kernel<<<s.tiles(), team_threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
};

constexpr auto warp_vote = []<class T>(const Field<T>& s, const Stream& stream) {
  if (s.n == 0) return;
  warp_vote_kernel<<<s.tiles(), team_threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
};

constexpr auto packed_vote = []<class T>(const Field<T>& s, const Stream& stream) {
  if (s.n == 0) return;
  packed_vote_kernel<<<s.tiles(), team_threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
};

constexpr auto warp_tile = []<class T>(const Field<T>& s, const Stream& stream) {
  if (s.n == 0) return;
  warp_tile_kernel<<<ceil_div(s.tiles(), tile_warps), dim3(lanes, tile_warps), 0,
                     stream.native()>>>(s);
  cuda_check(cudaGetLastError());
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "barrier_vote", barrier_vote), rung(works, "warp_vote", warp_vote),
          rung(works, "packed_vote", packed_vote), rung(works, "warp_tile", warp_tile)};
}

}  // namespace portcost::block_vote
