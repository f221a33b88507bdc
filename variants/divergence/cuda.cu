// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: a tile a block, four numbers a thread, one after the other.
#include "src/memory/cuda_check.hpp"
#include "variants/divergence/bodies.hpp"

namespace portcost::divergence {

namespace {

template <class Body, bool transposed>
__global__ void __launch_bounds__(threads) map_kernel(Work s) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * tile;
#pragma unroll 1
  for (unsigned slot = threadIdx.x; slot < tile; slot += threads) {
    const unsigned position = position_of<transposed>(slot);
    const std::uint64_t i = first + position;
    if (i < s.n) s.out[i] = Body{}(s, position % lanes, s.in[i]);
  }
}

template <class Body, bool transposed>
void launch(const Work& s, const Stream& stream) {
  const auto blocks = static_cast<unsigned>(tiles_of(s.n));
  map_kernel<Body, transposed><<<blocks, threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
}

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "uniform", launch<Branch, true>),
          rung(works, "if_else", launch<Branch, false>),
          rung(works, "loop_678", launch<Loop, false>),
          rung(works, "loop_uniform", launch<UniformLoop, false>)};
}

}  // namespace portcost::divergence
