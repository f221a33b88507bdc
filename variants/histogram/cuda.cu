// SPDX-License-Identifier: Apache-2.0
// Native GPU variants. An atomicAdd of a literal one in shared memory becomes ATOMS.POPC.INC, which
// adds up equal addresses of a warp by itself.
#include "src/cuda_check.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost::histogram {

namespace {

constexpr Place here = Place::device;
constexpr Shape plain = plain_shape(here), wide = wide_shape(here);

// Every key goes to its one counter.
__global__ void __launch_bounds__(plain.threads(), plain.teams) global_atomics_kernel(Keys s) {
  const unsigned step = gridDim.x * plain.threads();
  for (unsigned i = blockIdx.x * plain.threads() + threadIdx.x; i < s.n; i += step) {
    atomicAdd(s.out + s.in[i], 1u);
  }
}

// Counters of the block, zeroed before and added to the result after.
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

// Calls count(key, valid) for the keys of this thread, all lanes of a warp together: packs of whole
// tiles, those of the last tile, and what is left over. every(), by all threads of the block,
// follows each `trips` whole tiles (0: never).
template <Shape shape, unsigned trips, class Count, class Every>
__device__ void for_keys(const Keys& s, const Plan& p, const Count& count, const Every& every) {
  constexpr unsigned threads = shape.threads(), tile_packs = threads * shape.loads;
  const auto* const packs = reinterpret_cast<const Pack*>(s.in) + threadIdx.x;
  const Turns turns = turns_of<here>(p.tiles, blockIdx.x, gridDim.x);
  unsigned tile = turns.first, trip = 0;
  for (; tile < p.full; tile += turns.step) {
    const Pack* const from = packs + tile * tile_packs;
    Pack keys[shape.loads];
#pragma unroll
    for (unsigned k = 0; k < shape.loads; ++k) keys[k] = from[k * threads];
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

// Copies of the counters as `split` says; with `aggregated`, the lanes of a warp whose keys are
// equal send one of them.
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

// No atomics but the last: each thread counts in bytes of its own, which the block adds up before
// they can overflow.
template <unsigned bins>
__global__ void __launch_bounds__(private_shape.threads(), private_shape.teams)
    lane_private_kernel(Keys s, Plan p) {
  using C = Columns<bins>;
  __shared__ unsigned columns[C::sums];
  auto* const bytes = reinterpret_cast<unsigned char*>(columns);
  unsigned sums[4] = {};
#pragma unroll 8
  for (unsigned i = 0; i < C::words; ++i) columns[threadIdx.x + i * C::threads] = 0;
  __syncthreads();
  const auto add_up = [&] {
    __syncthreads();
    unsigned even = 0, odd = 0;  // two bins each, in halves of a word
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

void zero(const Keys& s, const Stream& stream) {
  cuda_check(cudaMemsetAsync(s.out, 0, s.bins * sizeof(unsigned), stream.native()));
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

}  // namespace

unsigned cuda::processors() {
  int device = 0, count = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return static_cast<unsigned>(count);
}

void cuda::global_atomics(const Keys& s, const Stream& stream) {
  zero(s, stream);
  global_atomics_kernel<<<plain_teams(s, plain), plain.threads(), 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
}

void cuda::scratch_atomics(const Keys& s, const Stream& stream) {
  zero(s, stream);
  with_bins(s.bins, [&](auto bins) {
    scratch_atomics_kernel<bins.value>
        <<<plain_teams(s, plain), plain.threads(), 0, stream.native()>>>(s);
  });
  cuda_check(cudaGetLastError());
}

void cuda::wide_loads(const Keys& s, const Stream& stream) { count_wide<Split::team>(s, stream); }
void cuda::warp_private(const Keys& s, const Stream& stream) { count_wide<Split::warp>(s, stream); }
void cuda::warp_aggregated(const Keys& s, const Stream& stream) {
  count_wide<Split::team, true>(s, stream);
}
void cuda::lane_striped(const Keys& s, const Stream& stream) { count_wide<Split::lane>(s, stream); }

void cuda::lane_private(const Keys& s, const Stream& stream) {
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

}  // namespace portcost::histogram
