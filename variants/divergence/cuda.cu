// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: a tile a block, four numbers a thread, one after the other; or a slot a
// thread in blocks of any shape.
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

// Threads are numbered along x, then y, then z, as warps take them.
template <class Body, bool transposed>
__global__ void __launch_bounds__(threads) slot_kernel(Work s) {
  const unsigned id = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const std::uint64_t i = number_of<transposed>(
      std::uint64_t{blockIdx.x} * (blockDim.x * blockDim.y * blockDim.z) + id);
  if (i < s.n) s.out[i] = Body{}(s, i % lanes, s.in[i]);
}

template <class Body, bool transposed>
void launch(const Work& s, const Stream& stream) {
  const Block block = blocks[s.block];
  if (s.block == 0) {
    const auto count = static_cast<unsigned>(tiles_of(s.n));
    map_kernel<Body, transposed><<<count, threads, 0, stream.native()>>>(s);
  } else {
    const auto count = static_cast<unsigned>(ceil_div(tiles_of(s.n) * tile, block.size()));
    slot_kernel<Body, transposed>
        <<<count, dim3(block.x, block.y, block.z), 0, stream.native()>>>(s);
  }
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
