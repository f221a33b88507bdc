// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: a thread adds its payoffs in registers, a block adds its threads' sums by
// shuffles, further launches add the blocks' sums.
#include "src/memory/cuda_check.hpp"
#include "variants/options/problem.hpp"

namespace portcost::options {

namespace {

constexpr Shape shape = shape_in(Place::device);
constexpr unsigned threads = shape.threads(), lanes = shape.lanes, warps = shape.warps;

__device__ Sums add_warp(Sums sums, unsigned width) {
  for (unsigned offset = width / 2; offset > 0; offset /= 2) {
    sums.payoff += __shfl_down_sync(~0u, sums.payoff, offset);
    sums.square += __shfl_down_sync(~0u, sums.square, offset);
  }
  return sums;
}

// Stores the sum of a block's values, one per thread. All threads call store_block().
__device__ void store_block(Sums sums, Sums* to) {
  __shared__ double payoff[warps], square[warps];
  sums = add_warp(sums, lanes);
  if (threadIdx.x % lanes == 0) {
    payoff[threadIdx.x / lanes] = sums.payoff;
    square[threadIdx.x / lanes] = sums.square;
  }
  __syncthreads();
  if (threadIdx.x >= lanes) return;
  sums = {};
  if (threadIdx.x < warps) sums = {payoff[threadIdx.x], square[threadIdx.x]};
  sums = add_warp(sums, warps);
  if (threadIdx.x == 0) *to = sums;
}

template <bool fast, class T>
__global__ void __launch_bounds__(threads) one_path_kernel(Simulation<T> s) {
  const std::uint64_t path = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  Sums sums;
  if (path < s.paths) sums.add(payoff_of_path<fast>(s.terms, path));
  store_block(sums, s.partials[0] + blockIdx.x);
}

template <bool fast, class T>
__global__ void __launch_bounds__(threads) many_paths_kernel(Simulation<T> s) {
  constexpr unsigned paths = paths_of_a_group<T>;
  const std::uint64_t groups = groups_of<T>(s.paths), step = std::uint64_t{gridDim.x} * threads;
  Sums sums;
  for (std::uint64_t group = blockIdx.x * threads + threadIdx.x; group < groups; group += step) {
    const Payoffs<T> paid = payoffs<fast>(s.terms, group);
    for (unsigned i = 0; i < paths; ++i) {
      if (group * paths + i < s.paths) sums.add(paid.at[i]);
    }
  }
  store_block(sums, s.partials[0] + blockIdx.x);
}

__global__ void __launch_bounds__(threads)
    add_partials_kernel(const Sums* from, std::uint64_t count, Sums* to) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * (threads * shape.partials) + threadIdx.x;
  Sums sums;
  for (unsigned k = 0; k < shape.partials; ++k) {
    if (first + k * threads < count) sums += from[first + k * threads];
  }
  store_block(sums, to + blockIdx.x);
}

template <class T>
void add_blocks(const Simulation<T>& s, std::uint64_t blocks, const Stream& stream) {
  cuda_check(cudaGetLastError());
  add_up(shape, s, blocks, [&](const Sums* from, std::uint64_t count, Sums* to, int many) {
    add_partials_kernel<<<static_cast<unsigned>(many), threads, 0, stream.native()>>>(from, count,
                                                                                      to);
    cuda_check(cudaGetLastError());
  });
}

constexpr auto one_path = []<class T>(const Simulation<T>& s, const Stream& stream) {
  const auto blocks = static_cast<unsigned>(teams_of_paths(shape, s.paths));
  with_math<Place::device>(s, [&](auto fast) {
    one_path_kernel<fast.value><<<blocks, threads, 0, stream.native()>>>(s);
  });
  add_blocks(s, blocks, stream);
};

constexpr auto many_paths = []<class T>(const Simulation<T>& s, const Stream& stream) {
  const auto blocks =
      static_cast<unsigned>(teams_of_groups<T>(Place::device, s.paths, s.processors));
  with_math<Place::device>(s, [&](auto fast) {
    many_paths_kernel<fast.value><<<blocks, threads, 0, stream.native()>>>(s);
  });
  add_blocks(s, blocks, stream);
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "one_path", one_path).unless(no_fast_functions<Place::device>),
          rung(works, "many_paths", many_paths).unless(no_fast_functions<Place::device>)};
}

}  // namespace portcost::options
