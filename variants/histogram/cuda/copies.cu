// SPDX-License-Identifier: Apache-2.0
// Native GPU variants that read packs of keys, with one or several copies of the counters a block.
#include "variants/histogram/cuda/packs.cuh"

namespace portcost::histogram {

namespace {

using namespace cuda;

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
void warp_aggregated(const Keys& s, const Stream& stream) {
  count_wide<Split::team, true>(s, stream);
}

}  // namespace

void cuda::lane_striped(const Keys& s, const Stream& stream) { count_wide<Split::lane>(s, stream); }

Rungs cuda_copies_rungs() {
  return {rung(works, "wide_loads", wide_loads), rung(works, "warp_private", warp_private),
          rung(works, "lane_striped", cuda::lane_striped),
          rung(works, "warp_aggregated", warp_aggregated)};
}

}  // namespace portcost::histogram
