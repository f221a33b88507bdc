// SPDX-License-Identifier: Apache-2.0
// Native GPU variants that read a key at a time. An atomicAdd of a literal 1 in shared memory
// becomes ATOMS.POPC.INC, which itself adds up equal addresses of a warp.
#include "variants/histogram/cuda/packs.cuh"

namespace portcost::histogram {

namespace {

using namespace cuda;

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

}  // namespace

Rungs cuda_atomics_rungs() {
  return {rung(works, "global_atomics", global_atomics),
          rung(works, "scratch_atomics", scratch_atomics)};
}

}  // namespace portcost::histogram
