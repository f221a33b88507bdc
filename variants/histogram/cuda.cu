// SPDX-License-Identifier: Apache-2.0
// Native GPU variants. An atomicAdd of a literal 1 in shared memory becomes ATOMS.POPC.INC, which
// itself adds up equal addresses of a warp.
#include "src/memory/cuda_check.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost::histogram {

namespace {

constexpr Place here = Place::device;
constexpr Shape plain = plain_shape(here), wide = wide_shape(here);

void zero(const Keys& s, const Stream& stream) {
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

// ---- A key at a time.

// Each key increments its only counter.
__global__ void __launch_bounds__(plain.threads(), plain.teams) global_atomics_kernel(Keys s) {
  const unsigned step = gridDim.x * plain.threads();
  for (unsigned i = blockIdx.x * plain.threads() + threadIdx.x; i < s.n; i += step) {
    atomicAdd(s.out + s.in[i], 1u);
  }
}

// Counters of the block, zeroed first and added to the result at the end.
template <unsigned bins>
__global__ void __launch_bounds__(plain.threads(), plain.teams) scratch_atomics_kernel(Keys s) {
  __shared__ unsigned counts[bins];
  for (unsigned bin = threadIdx.x; bin < bins; bin += plain.threads()) counts[bin] = 0;
  __syncthreads();
  const unsigned step = gridDim.x * plain.threads();
  for (unsigned i = blockIdx.x * plain.threads() + threadIdx.x; i < s.n; i += step) {
    atomicAdd(counts + s.in[i], 1u);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += plain.threads()) {
    atomicAdd(s.out + bin, counts[bin]);
  }
}

void global_atomics(const Keys& s, const Stream& stream) {
  zero(s, stream);
  global_atomics_kernel<<<plain_teams(s, plain), plain.threads(), 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
}

void scratch_atomics(const Keys& s, const Stream& stream) {
  zero(s, stream);
  with_bins(s.bins, [&](auto bins) {
    scratch_atomics_kernel<bins.value>
        <<<plain_teams(s, plain), plain.threads(), 0, stream.native()>>>(s);
  });
  cuda_check(cudaGetLastError());
}

// ---- Packs of keys, with one or several copies of the counters a block.

// `split` says who has a copy of the counters. With `aggregated`, one lane adds for all lanes of
// the warp with an equal key.
template <Split split, unsigned bins, bool aggregated>
__global__ void __launch_bounds__(wide.threads(), wide.teams) wide_kernel(Keys s, Plan p) {
  constexpr unsigned copies_kept = copies<split, bins, here>;
  __shared__ unsigned counts[copies_kept * bins];
  for (unsigned i = threadIdx.x; i < copies_kept * bins; i += wide.threads()) counts[i] = 0;
  __syncthreads();
  const unsigned copy = copy_of<split, bins, here>(threadIdx.x, 0);
  for_keys<wide, 0>(
      s, p,
      [&](unsigned key, bool valid) {
        if constexpr (aggregated) {
          const unsigned same = __match_any_sync(~0u, valid ? key : ~0u);
          const bool leads = threadIdx.x % lanes == static_cast<unsigned>(__ffs(same)) - 1;
          if (valid && leads) {
            atomicAdd(counts + counter_of<split, bins, here>(key, copy),
                      static_cast<unsigned>(__popc(same)));
          }
        } else {
          if (valid) atomicAdd(counts + counter_of<split, bins, here>(key, copy), 1u);
        }
      },
      [] {});
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += wide.threads()) {
    unsigned total = 0;
#pragma unroll 4
    for (unsigned i = 0; i < copies_kept; ++i) {
      total += counts[counter_of<split, bins, here>(bin, (i + threadIdx.x) % copies_kept)];
    }
    atomicAdd(s.out + bin, total);
  }
}

template <Split split, bool aggregated = false>
void count_wide(const Keys& s, const Stream& stream) {
  zero(s, stream);
  const Plan p = plan(s, wide);
  with_bins(s.bins, [&](auto bins) {
    wide_kernel<split, bins.value, aggregated>
        <<<p.teams, wide.threads(), 0, stream.native()>>>(s, p);
  });
  cuda_check(cudaGetLastError());
}

void wide_loads(const Keys& s, const Stream& stream) { count_wide<Split::team>(s, stream); }
void warp_private(const Keys& s, const Stream& stream) { count_wide<Split::warp>(s, stream); }
void lane_striped(const Keys& s, const Stream& stream) { count_wide<Split::lane>(s, stream); }
void warp_aggregated(const Keys& s, const Stream& stream) {
  count_wide<Split::team, true>(s, stream);
}

// ---- Without atomics.

// Atomics only in the last addition: each thread counts in its own bytes, which the block adds up
// before they can overflow.
template <unsigned bins>
__global__ void __launch_bounds__(private_shape.threads(), private_shape.teams)
    lane_private_kernel(Keys s, Plan p) {
  using C = Columns<bins>;
  __shared__ unsigned columns[C::counters];
  auto* const bytes = reinterpret_cast<unsigned char*>(columns);
  unsigned sums[4] = {};
#pragma unroll 8
  for (unsigned i = 0; i < C::words; ++i) columns[threadIdx.x + i * C::threads] = 0;
  __syncthreads();
  const auto add_up = [&] {
    __syncthreads();
    unsigned even = 0, odd = 0;  // two bins each, in the halves of a word
#pragma unroll 8
    for (unsigned i = 0; i < C::span; ++i) {
      unsigned& word = columns[C::word_of(threadIdx.x, i)];
      even += word & 0x00FF00FFu;
      odd += word >> 8 & 0x00FF00FFu;
      word = 0;
    }
    sums[0] += even & 0xFFFFu;
    sums[1] += odd & 0xFFFFu;
    sums[2] += even >> 16;
    sums[3] += odd >> 16;
    __syncthreads();
  };
  for_keys<private_shape, C::trips>(
      s, p,
      [&](unsigned key, bool valid) {
        if (valid) ++bytes[C::byte_of(key, threadIdx.x)];
      },
      add_up);
  add_up();
  for (unsigned k = 0; k < 4; ++k) {
    atomicAdd(s.out + threadIdx.x % C::words * 4 + k, sums[k]);
  }
}

void lane_private(const Keys& s, const Stream& stream) {
  with_bins(s.bins, [&](auto bins) {
    if constexpr (Columns<bins.value>::fit) {
      zero(s, stream);
      const Plan p = plan(s, private_shape);
      lane_private_kernel<bins.value>
          <<<p.teams, private_shape.threads(), 0, stream.native()>>>(s, p);
      cuda_check(cudaGetLastError());
    } else {
      lane_striped(s, stream);
    }
  });
}

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "global_atomics", global_atomics),
          rung(works, "scratch_atomics", scratch_atomics),
          rung(works, "wide_loads", wide_loads),
          rung(works, "warp_private", warp_private),
          rung(works, "lane_striped", lane_striped),
          rung(works, "lane_private", lane_private),
          rung(works, "warp_aggregated", warp_aggregated)};
}

}  // namespace portcost::histogram
