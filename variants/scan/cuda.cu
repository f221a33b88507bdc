// SPDX-License-Identifier: Apache-2.0
// Native GPU variants. A block stages a tile in shared memory, where each thread scans one row.
#include <cuda/atomic>

#include "src/memory/cuda_check.hpp"
#include "variants/scan/bodies.hpp"

namespace portcost::scan {

namespace {

constexpr Shape shape = shape_in(Place::device);
constexpr unsigned lanes = shape.lanes, warps = shape.warps, threads = shape.threads();
constexpr unsigned all_lanes = ~0u;
template <class T>
using Wide = Pack<T, Place::device>;
template <class T>
inline constexpr unsigned size = tile_size<T, Place::device>;

// A block's shared memory.
template <class T>
struct Shared {
  Wide<T> tile[threads * pitch<Place::device>];
  T of_warps[warps];
};

// The sum over a warp, in all its lanes.
template <class T>
__device__ T add_warp(T value) {
#pragma unroll
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(all_lanes, value, offset);
  }
  return value;
}

// From each warp's sum: the sum of the warps before this warp, and of all warps. A barrier must
// precede the next use of `box`.
template <class T>
struct WarpSums {
  T before, all;
};
template <class T>
__device__ WarpSums<T> add_warps(T sum, T (&box)[warps]) {
  const unsigned warp = threadIdx.x / lanes;
  if (threadIdx.x % lanes == 0) box[warp] = sum;
  __syncthreads();
  WarpSums<T> result = {};
#pragma unroll
  for (unsigned w = 0; w < warps; ++w) {
    if (w == warp) result.before = result.all;
    result.all += box[w];
  }
  return result;
}

// Loads a tile to shared memory and scans it there. Returns its sum, and calls on_sum(sum) as soon
// as the sum is known. Afterwards a warp may read its own rows; a barrier must precede the next use
// of `shared`.
template <class T, class OnSum>
__device__ T scan_tile(const T* in, std::uint64_t count, Shared<T>& shared, const OnSum& on_sum) {
  const unsigned warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const T staged = stage_packs(in, count, warp, lane, shared.tile);
  const WarpSums<T> sums = add_warps(add_warp(staged), shared.of_warps);
  on_sum(sums.all);
  Wide<T>* const row = shared.tile + threadIdx.x * pitch<Place::device>;
  T sum = 0;
  scan_row(row, sum, false);
#pragma unroll
  for (unsigned offset = 1; offset < lanes; offset *= 2) {
    const T left = __shfl_up_sync(all_lanes, sum, offset);
    if (lane >= offset) sum += left;
  }
  const T left = __shfl_up_sync(all_lanes, sum, 1);
  // The row is read again: kept in registers it would cause spills.
  T before = lane == 0 ? sums.before : sums.before + left;
  scan_row(row, before, true);
  __syncwarp();
  return sums.all;
}

template <class T>
__device__ T scan_tile(const T* in, std::uint64_t count, Shared<T>& shared) {
  return scan_tile(in, count, shared, [](T) {});
}

// Stores a scanned tile with `base` added.
template <class T>
__device__ void store_tile(const Shared<T>& shared, T* out, std::uint64_t count, T base) {
  store_packs(shared.tile, out, count, threadIdx.x / lanes, threadIdx.x % lanes, base);
}

// Writes the sum of each tile to `totals`.
template <class T>
__global__ void __launch_bounds__(threads, shape.teams) add_tiles_kernel(Sequence<T> s) {
  __shared__ T box[warps];
  const std::uint64_t first = std::uint64_t{blockIdx.x} * size<T>;
  Wide<T> loaded[shape.packs];
  load_packs(s.in + first, s.n - first, threadIdx.x / lanes, threadIdx.x % lanes, loaded);
  const T sum = sum_of(loaded);
  const T all = add_warps(add_warp(sum), box).all;
  if (threadIdx.x == 0) s.totals[blockIdx.x] = all;
}

// Scans each tile, starting from the sum of all earlier tiles.
template <class T>
__global__ void __launch_bounds__(threads, shape.teams) scan_tiles_kernel(Sequence<T> s) {
  __shared__ Shared<T> shared;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * size<T>;
  scan_tile(s.in + first, s.n - first, shared);
  const T base = blockIdx.x > 0 ? s.totals[blockIdx.x - 1] : T(0);
  store_tile(shared, s.out + first, s.n - first, base);
}

// Scans the totals in place with one block, tile by tile.
template <class T>
__global__ void __launch_bounds__(threads, shape.teams)
    scan_totals_kernel(T* totals, std::uint64_t count) {
  __shared__ Shared<T> shared;
  T before = 0;
  for (std::uint64_t first = 0; first < count; first += size<T>) {
    const T sum = scan_tile(totals + first, count - first, shared);
    store_tile(shared, totals + first, count - first, before);
    before += sum;
    __syncthreads();
  }
}

using Word64 = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>;

// By an exchange, which reaches other blocks sooner than a store.
template <class T>
__device__ void publish(const Sequence<T>& s, unsigned tile, T sum, std::uint32_t flag) {
  const State<T> state = State<T>::of(sum, flag);
  std::uint64_t* const to = s.states + std::size_t{tile} * State<T>::words;
#pragma unroll
  for (int i = 0; i < State<T>::words; ++i) {
    Word64(to[i]).exchange(state.word[i], cuda::memory_order_relaxed);
  }
}

// The state of `tile`. A negative tile counts as published, with the sum 0.
template <class T>
__device__ State<T> read_state(const Sequence<T>& s, std::int64_t tile, unsigned run) {
  State<T> state;
  if (tile < 0) return State<T>::of(T(0), flag_of(run, Stage::whole));
  std::uint64_t* const from = s.states + tile * State<T>::words;
#pragma unroll
  for (int i = 0; i < State<T>::words; ++i) {
    state.word[i] = Word64(from[i]).load(cuda::memory_order_relaxed);
  }
  return state;
}

// The sum of all numbers before `tile`, by a warp: a window of earlier tiles at a time, the nearest
// first, up to the first tile that has published the whole sum.
template <class T>
__device__ T look_back(const Sequence<T>& s, unsigned tile, unsigned run) {
  const std::uint32_t own = flag_of(run, Stage::own), whole = flag_of(run, Stage::whole);
  const unsigned lane = threadIdx.x % lanes;
  T sum = 0;
  for (std::int64_t at = std::int64_t{tile} - 1 - lane;; at -= lanes) {
    State<T> state = read_state(s, at, run);
    while (!state.has(own) && !state.has(whole)) state = read_state(s, at, run);
    const unsigned ends = __ballot_sync(all_lanes, state.has(whole));
    // __ffs counts from 1: the lanes up to the nearest whole sum.
    if (ends == 0 || lane < static_cast<unsigned>(__ffs(ends))) sum += state.sum();
    if (ends != 0) return add_warp(sum);
  }
}

// One pass over memory. Blocks draw tiles in order, so that a block waits only for blocks that have
// started; the last tile's block sets the ticket back. One tile alone needs no ticket.
template <class T>
__global__ void __launch_bounds__(threads, shape.teams)
    look_back_kernel(Sequence<T> s, unsigned tiles) {
  __shared__ Shared<T> shared;
  __shared__ T found;
  __shared__ unsigned drawn[2];
  unsigned tile = 0;
  if (tiles > 1) {
    if (threadIdx.x == 0) {
      drawn[ticket] = atomicAdd(s.counters + ticket, 1u);
      drawn[runs] = s.counters[runs];
    }
    __syncthreads();
    tile = drawn[ticket];
  }
  const std::uint64_t first = std::uint64_t{tile} * size<T>;
  const T sum = scan_tile(s.in + first, s.n - first, shared, [&](T own) {
    if (tile > 0 && threadIdx.x == 0) publish(s, tile, own, flag_of(drawn[runs], Stage::own));
  });
  if (tiles > 1 && threadIdx.x < lanes) {
    const unsigned run = drawn[runs];
    T before = 0;
    if (tile > 0) before = look_back(s, tile, run);
    if (threadIdx.x == 0) {
      publish(s, tile, before + sum, flag_of(run, Stage::whole));
      found = before;
      if (tile == tiles - 1) {  // all others have drawn, and read the number of runs
        s.counters[ticket] = 0;
        s.counters[runs] = run + 1;
      }
    }
  }
  __syncthreads();
  store_tile(shared, s.out + first, s.n - first, tiles > 1 ? found : T(0));
}

// kernel<<<blocks>>>(arguments...); no blocks: no launch.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, const Stream& stream,
            const Arguments&... arguments) {
  if (blocks == 0) return;
  kernel<<<blocks, threads, 0, stream.native()>>>(arguments...);
  cuda_check(cudaGetLastError());
}

constexpr auto reduce_then_scan = []<class T>(const Sequence<T>& s, const Stream& on) {
  const unsigned tiles = tiles_of<T, Place::device>(s.n);
  if (tiles > 1) {
    launch(add_tiles_kernel<T>, tiles, on, s);
    launch(scan_totals_kernel<T>, 1, on, s.totals, std::uint64_t{tiles});
  }
  launch(scan_tiles_kernel<T>, tiles, on, s);
};

constexpr auto one_pass = []<class T>(const Sequence<T>& s, const Stream& on) {
  const unsigned tiles = tiles_of<T, Place::device>(s.n);
  launch(look_back_kernel<T>, tiles, on, s, tiles);
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "reduce_then_scan", reduce_then_scan), rung(works, "look_back", one_pass)};
}

}  // namespace portcost::scan
