// SPDX-License-Identifier: Apache-2.0
// The native GPU variant without atomics.
#include "variants/histogram/cuda/packs.cuh"

namespace portcost::histogram {

namespace {

using namespace cuda;

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
      cuda::lane_striped(s, stream);
    }
  });
}

}  // namespace

Rungs cuda_lane_private_rungs() { return {rung(works, "lane_private", lane_private)}; }

}  // namespace portcost::histogram
