// SPDX-License-Identifier: Apache-2.0
// Native GPU variants that read 16 bytes at a time: wide_loads and single_pass.
#include "src/memory/cuda_check.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

constexpr WideShape shape = wide_shape(Place::device);
template <class T>
using Wide = Pack<T, Place::device>;
template <class T>
inline constexpr unsigned width = pack_width<T, Place::device>;

template <class T>
struct Sums {
  Wide<T> set[shape.sets] = {};

  // Adds load `k` of a tile; by value, so that it is one load.
  __device__ void add(unsigned k, Wide<T> loaded) {
#pragma unroll
    for (unsigned j = 0; j < width<T>; ++j) set[k % shape.sets].at[j] += loaded.at[j];
  }
  __device__ T total() const {
    T all[shape.sets * width<T>];
#pragma unroll
    for (unsigned i = 0; i < shape.sets; ++i) {
#pragma unroll
      for (unsigned j = 0; j < width<T>; ++j) all[i * width<T> + j] = set[i].at[j];
    }
    return add_in_pairs(all);
  }
};

// Adds this thread's part of a remainder tile, or of a tile of few rows: `count` packs at `packs`.
template <class T>
__device__ void add_part(Sums<T>& sums, const Wide<T>* packs, unsigned count) {
  Wide<T> loaded[shape.loads] = {};
#pragma unroll
  for (unsigned k = 0; k < shape.loads; ++k) {
    if (threadIdx.x + k * threads < count) loaded[k] = packs[k * threads];
  }
#pragma unroll
  for (unsigned k = 0; k < shape.loads; ++k) sums.add(k, loaded[k]);
}

// The sum of this thread's part of its block's tiles: full tiles, the remainder tile (or tiles of
// few rows), and the numbers past the last pack. `one_tile`: a block has at most one tile.
template <bool one_tile, class T>
__device__ T add_item(const Launched<T>& s, const Plan& p) {
  const unsigned id = threadIdx.x;
  const auto* const packs = reinterpret_cast<const Wide<T>*>(s.in) + id;
  const std::uint64_t past = p.packs * width<T> + id;
  T rest = 0;  // loaded first: a small sum only waits for loads
  if (blockIdx.x == gridDim.x - 1 && past < s.count) rest = s.in[past];
  Sums<T> sums;
  if constexpr (one_tile) {  // so few blocks that 32 bits number the packs
    const unsigned begin = blockIdx.x * (p.rows * threads);
    add_part(sums, packs + begin, min(static_cast<unsigned>(p.packs) - begin, p.rows * threads));
    return sums.total() + rest;
  }
  unsigned tile = blockIdx.x;
  for (; tile < p.full; tile += gridDim.x) {
    const Wide<T>* const from = packs + std::uint64_t{tile} * (shape.loads * threads);
#pragma unroll
    for (unsigned k = 0; k < shape.loads; ++k) sums.add(k, from[k * threads]);
  }
  for (; tile < p.tiles; tile += gridDim.x) {
    const std::uint64_t begin = std::uint64_t{tile} * (p.rows * threads);
    const auto count = static_cast<unsigned>(min(p.packs - begin, std::uint64_t{p.rows * threads}));
    add_part(sums, packs + begin, count);
  }
  return sums.total() + rest;
}

// The sum over a warp, in its first lane; for whole numbers an instruction computes it.
template <class T>
__device__ T add_warp(T value) {
#pragma unroll
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(~0u, value, offset);
  }
  return value;
}
#if __CUDA_ARCH__ >= 800
template <>
__device__ Word add_warp(Word value) {
  return __reduce_add_sync(~0u, value);
}
#endif

// The sum over a block of one value a thread; only thread 0 receives it. `box` may be used again
// after a barrier.
template <class T>
__device__ T add_block(T value, T (&box)[warps]) {
  value = add_warp(value);
  if (threadIdx.x % lanes == 0) box[threadIdx.x / lanes] = value;
  __syncthreads();
  if (threadIdx.x != 0) return 0;
  T sum[warps];
#pragma unroll
  for (unsigned warp = 0; warp < warps; ++warp) sum[warp] = box[warp];
  return add_in_pairs(sum);
}

// Two launches of one kernel, as on the slides: the second adds up the first's partial sums. Or one
// launch, whose blocks add to the total.
template <bool one_tile, End end, class T>
__global__ void __launch_bounds__(threads, teams_a_processor)
    wide_loads_kernel(Launched<T> s, Plan p) {
  __shared__ T box[warps];
  const T sum = add_block(add_item<one_tile>(s, p), box);
  if (threadIdx.x != 0) return;
  if constexpr (end == End::store) {
    s.out[blockIdx.x] = sum;
  } else if constexpr (end == End::atomic) {
    atomicAdd(s.out, sum);
  } else {
    while (atomicCAS(s.lock, 0u, 1u) != 0) continue;
    __threadfence();  // the total is read after the lock is taken
    *s.out += sum;
    __threadfence();  // and is there before the lock is free
    atomicExch(s.lock, 0u);
  }
}

// The sum of this thread's part of the blocks' partial sums, which is fixed, in a fixed order.
template <class T>
__device__ T add_partials(const T* partials) {
  T total = 0;
#pragma unroll 1
  for (unsigned first = threadIdx.x; first < gridDim.x; first += partial_loads * threads) {
    T loaded[partial_loads];
#pragma unroll
    for (unsigned k = 0; k < partial_loads; ++k) {
      const unsigned block = first + k * threads;
      loaded[k] = block < gridDim.x ? partials[block] : T(0);
    }
#pragma unroll
    for (unsigned k = 0; k < partial_loads; ++k) total += loaded[k];
  }
  return total;
}

// One launch: the block with the last ticket adds up all partial sums in the order of the blocks,
// so that the result does not depend on which block is last.
template <bool one_tile, class T>
__global__ void __launch_bounds__(threads, teams_a_processor)
    single_pass_kernel(Numbers<T> s, Plan p) {
  __shared__ T box[warps];
  __shared__ bool last;
  T* const partials = s.partials[0];
  const T sum = add_block(add_item<one_tile>(Launched<T>{s.in, s.n, nullptr}, p), box);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();  // the partial sum is there before the ticket says so
    last = atomicAdd(s.arrived, 1u) == gridDim.x - 1;
    if (last) __threadfence();  // and is read after the ticket has said so
  }
  __syncthreads();
  if (!last) return;
  const T total = add_block(add_partials(partials), box);
  if (threadIdx.x == 0) {
    *s.out = total;
    *s.arrived = 0;
  }
}

template <End end, class T>
void launch(const Launched<T>& s, const Plan& p, const Stream& stream) {
  with_tiling<Place::device>(p, [&](auto one_tile) {
    wide_loads_kernel<one_tile.value, end><<<p.teams, threads, 0, stream.native()>>>(s, p);
  });
  cuda_check(cudaGetLastError());
}

constexpr auto wide_loads = []<class T>(const Numbers<T>& s, const Stream& stream) {
  const auto plan_of = [&](std::uint64_t n) { return plan<T, Place::device>(n, s.processors); };
  launch_until_one(
      s, [&](std::uint64_t count) { return plan_of(count).teams; },
      [&](const Launched<T>& one, int) { launch<End::store>(one, plan_of(one.count), stream); });
};

template <End end, class T>
void one_total(const Numbers<T>& s, const Stream& stream) {
  cuda_check(cudaMemsetAsync(s.out, 0, sizeof(T), stream.native()));
  launch<end>(Launched<T>{s.in, s.n, s.out, s.arrived}, plan<T, Place::device>(s.n, s.processors),
              stream);
}

constexpr auto single_pass = []<class T>(const Numbers<T>& s, const Stream& stream) {
  const Plan p = plan<T, Place::device>(s.n, s.processors);
  if (p.teams == 1) return wide_loads(s, stream);  // which then is one launch, without a ticket
  with_tiling<Place::device>(p, [&](auto one_tile) {
    single_pass_kernel<one_tile.value><<<p.teams, threads, 0, stream.native()>>>(s, p);
  });
  cuda_check(cudaGetLastError());
};

}  // namespace

Rungs cuda_wide_rungs() {
  const auto atomic = [](const auto& s, const Stream& on) { one_total<End::atomic>(s, on); };
  const auto under_lock = [](const auto& s, const Stream& on) { one_total<End::lock>(s, on); };
  return {rung(works, "wide_loads", wide_loads), rung(works, "atomic_blocks", atomic),
          rung(works, "locked_blocks", under_lock), rung(works, "single_pass", single_pass)};
}

}  // namespace portcost::sum
