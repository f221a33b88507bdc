// SPDX-License-Identifier: Apache-2.0
// Native GPU variants. Hits are counted in registers and added up over a block.
#include "src/memory/cuda_check.hpp"
#include "variants/monte_carlo/problem.hpp"

namespace portcost::monte_carlo {

namespace {

constexpr Shape shape = shape_in(Place::device);
constexpr unsigned threads = shape.threads, lanes = 32;

// A call's hits; 0 for a call past the end.
template <class T>
__device__ unsigned hits_at(const Drawing<T>& s, std::uint64_t call) {
  if (call > s.calls()) return 0;
  return hits_of<T>(philox(call, s.seed), call < s.calls() ? pairs_of_call<T> : s.rest());
}

// The sum over a warp, in its first lane; the sum over a block, in its first thread.
template <class N>
__device__ N add_warp(N value) {
#pragma unroll
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(~0u, value, offset);
  }
  return value;
}
template <class N>
__device__ std::uint64_t add_block(N value) {
  __shared__ N of_warps[threads / lanes];
  value = add_warp(value);
  if (threadIdx.x % lanes == 0) of_warps[threadIdx.x / lanes] = value;
  __syncthreads();
  std::uint64_t sum = 0;
  if (threadIdx.x == 0) {
#pragma unroll
    for (unsigned w = 0; w < threads / lanes; ++w) sum += of_warps[w];
  }
  return sum;
}

template <class T>
__global__ void __launch_bounds__(threads) one_pair_kernel(Drawing<T> s) {
  const std::uint64_t call = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  const std::uint64_t sum = add_block(hits_at(s, call));
  if (threadIdx.x == 0) s.partials[blockIdx.x] = sum;
}

// The hits of a thread, which makes every threads-th group of its block's share of the whole
// groups. A warp has at most 2^34 / 48 pairs, so that 32 bits hold its hits.
template <class T>
__device__ unsigned hits_of_share(const Drawing<T>& s) {
  constexpr int calls = shape.calls;
  const std::uint64_t groups = s.calls() / calls;
  const Share own = share_of(groups, blockIdx.x, gridDim.x);
  const auto shared = static_cast<unsigned>(own.end - own.first);
  unsigned hits = 0;
  for (unsigned i = threadIdx.x; i < shared; i += threads) {
    hits += hits_of_group<T, calls>((own.first + i) * calls, s.seed);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    for (std::uint64_t call = groups * calls; call <= s.calls(); ++call) hits += hits_at(s, call);
  }
  return hits;
}

template <class T>
__global__ void __launch_bounds__(threads, shape.teams) many_pairs_kernel(Drawing<T> s) {
  const std::uint64_t sum = add_block(hits_of_share(s));
  if (threadIdx.x == 0) s.partials[blockIdx.x] = sum;
}

template <class T>
__global__ void __launch_bounds__(threads, shape.teams) block_atomics_kernel(Drawing<T> s) {
  const std::uint64_t sum = add_block(hits_of_share(s));
  if (threadIdx.x == 0) atomicAdd(reinterpret_cast<unsigned long long*>(s.hits), sum);
}

// Launched with one block.
__global__ void __launch_bounds__(threads)
    add_partials_kernel(const std::uint64_t* partials, std::uint64_t count, std::uint64_t* hits) {
  std::uint64_t own = 0;
  for (std::uint64_t i = threadIdx.x; i < count; i += threads) own += partials[i];
  const std::uint64_t sum = add_block(own);
  if (threadIdx.x == 0) *hits = sum;
}
template <class T>
void add_partials(const Drawing<T>& s, std::uint64_t count, const Stream& stream) {
  add_partials_kernel<<<1, threads, 0, stream.native()>>>(s.partials, count, s.hits);
  cuda_check(cudaGetLastError());
}

// ---- The numbers in memory.

template <class T>
struct alignas(16) OfCall {
  T at[numbers_of_a_call<T>];
};

template <class T>
__global__ void __launch_bounds__(threads, shape.teams) generate_kernel(Drawing<T> s) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * threads;
  std::uint64_t call = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  for (; call < s.calls(); call += stride) {
    const RandomWords words = philox(call, s.seed);
    OfCall<T> made;
#pragma unroll
    for (int j = 0; j < numbers_of_a_call<T>; ++j) made.at[j] = uniform<T>(words, j);
    reinterpret_cast<OfCall<T>*>(s.numbers)[call] = made;
  }
  if (call == s.calls() && s.rest() > 0) {  // the incomplete last call: one pair
    const RandomWords words = philox(call, s.seed);
    s.numbers[2 * s.pairs - 2] = uniform<T>(words, 0);
    s.numbers[2 * s.pairs - 1] = uniform<T>(words, 1);
  }
}

template <class T>
__global__ void __launch_bounds__(threads, shape.teams) count_kernel(Drawing<T> s) {
  const auto* const calls = reinterpret_cast<const OfCall<T>*>(s.numbers);
  unsigned hits = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * threads;
  std::uint64_t call = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  for (; call < s.calls(); call += stride) {
    const OfCall<T> one = calls[call];
#pragma unroll
    for (int p = 0; p < pairs_of_call<T>; ++p) hits += is_hit(one.at[2 * p], one.at[2 * p + 1]);
  }
  if (call == s.calls() && s.rest() > 0) {
    hits += is_hit(s.numbers[2 * s.pairs - 2], s.numbers[2 * s.pairs - 1]);
  }
  const std::uint64_t sum = add_block(hits);
  if (threadIdx.x == 0) s.partials[blockIdx.x] = sum;
}

template <class T>
void launch(void (*kernel)(Drawing<T>), std::uint64_t blocks, const Drawing<T>& s,
            const Stream& stream) {
  kernel<<<static_cast<unsigned>(blocks), threads, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
}
template <class T>
std::uint64_t resident(const Drawing<T>& s) {
  return static_cast<std::uint64_t>(teams_of(Place::device, s.processors));
}

constexpr auto one_pair = []<class T>(const Drawing<T>& s, const Stream& stream) {
  const std::uint64_t blocks = teams_of_one_pair<T>(Place::device, s.pairs);
  launch(one_pair_kernel<T>, blocks, s, stream);
  add_partials(s, blocks, stream);
};
constexpr auto many_pairs = []<class T>(const Drawing<T>& s, const Stream& stream) {
  launch(many_pairs_kernel<T>, resident(s), s, stream);
  add_partials(s, resident(s), stream);
};
constexpr auto stored = []<class T>(const Drawing<T>& s, const Stream& stream) {
  launch(generate_kernel<T>, resident(s), s, stream);
  launch(count_kernel<T>, resident(s), s, stream);
  add_partials(s, resident(s), stream);
};
constexpr auto block_atomics = []<class T>(const Drawing<T>& s, const Stream& stream) {
  cuda_check(cudaMemsetAsync(s.hits, 0, sizeof *s.hits, stream.native()));
  launch(block_atomics_kernel<T>, resident(s), s, stream);
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "one_pair", one_pair), rung(works, "many_pairs", many_pairs),
          rung(works, "stored", stored).unless(too_many_to_store),
          rung(works, "block_atomics", block_atomics)};
}

}  // namespace portcost::monte_carlo
