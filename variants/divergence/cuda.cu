// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: a tile a block, four numbers a thread, one after the other.
#include "src/memory/cuda_check.hpp"
#include "variants/divergence/problem.hpp"

namespace portcost::divergence {

namespace {

struct Branch {
  __device__ float operator()(const Work& s, unsigned lane, float x) const {
    if (lane < s.diverging) {
#pragma unroll 1
      for (unsigned k = 0; k < most_trips * s.trip; ++k) x = else_stretch(x);
    } else {
#pragma unroll 1
      for (unsigned k = 0; k < most_trips * s.trip; ++k) x = then_stretch(x);
    }
    return x;
  }
};

struct Loop {
  __device__ float operator()(const Work& s, unsigned lane, float x) const {
    const unsigned trips = trips_of(lane);
#pragma unroll 1
    for (unsigned t = 0; t < trips; ++t) {
#pragma unroll 1
      for (unsigned k = 0; k < s.trip; ++k) x = then_stretch(x);
    }
    return x;
  }
};

// All lanes make all trips, and keep what theirs have left.
struct UniformLoop {
  __device__ float operator()(const Work& s, unsigned lane, float x) const {
    const unsigned trips = trips_of(lane);
    float result = x;
#pragma unroll 1
    for (unsigned t = 0; t < most_trips; ++t) {
#pragma unroll 1
      for (unsigned k = 0; k < s.trip; ++k) x = then_stretch(x);
      result = t < trips ? x : result;
    }
    return result;
  }
};

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
