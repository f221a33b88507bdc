// SPDX-License-Identifier: Apache-2.0
// Native GPU variants. A warp loads and stores the packs of its threads' rows, neighbouring packs
// by neighbouring threads. They pass through shared memory, where a thread scans its row.
#include <cuda/atomic>

#include "src/memory/cuda_check.hpp"
#include "variants/scan/problem.hpp"

namespace portcost::scan {

namespace {

constexpr Shape shape = shape_in(Place::device);
constexpr unsigned lanes = shape.lanes, warps = shape.warps, threads = shape.threads();
constexpr unsigned packs = shape.packs, all_lanes = ~0u;
template <class T>
using Wide = Pack<T, Place::device>;
template <class T>
inline constexpr unsigned width = pack_width<T, Place::device>;
template <class T>
inline constexpr unsigned size = tile_size<T, Place::device>;

// The packs of a row in shared memory: an odd number, so that lanes have no bank conflicts.
constexpr unsigned pitch = packs | 1;
__device__ unsigned place(unsigned pack) { return pack + pack / packs * (pitch - packs); }

// A block's shared memory.
template <class T>
struct Room {
  Wide<T> tile[threads * pitch];
  T of_warps[warps];
};

// Of a tile the k-th pack that the thread loads and stores: one in `lanes` of its warp's rows.
__device__ unsigned pack_of(unsigned k) {
  return threadIdx.x / lanes * (lanes * packs) + k * lanes + threadIdx.x % lanes;
}

// The thread's packs of a tile with `count` numbers at `in`; numbers past the end are 0.
template <class T>
__device__ void load(const T* in, std::uint64_t count, Wide<T> (&loaded)[packs]) {
#pragma unroll
  for (unsigned k = 0; k < packs; ++k) {
    const unsigned at = pack_of(k);
    if (count >= size<T>) {
      loaded[k] = reinterpret_cast<const Wide<T>*>(in)[at];
    } else {
#pragma unroll
      for (unsigned j = 0; j < width<T>; ++j) {
        loaded[k].at[j] = at * width<T> + j < count ? in[at * width<T> + j] : T(0);
      }
    }
  }
}

// Stores the thread's pack k of a tile, `add` added.
template <class T>
__device__ void store(T* out, std::uint64_t count, unsigned k, Wide<T> pack, T add) {
  const unsigned at = pack_of(k);
#pragma unroll
  for (unsigned j = 0; j < width<T>; ++j) pack.at[j] += add;
  if (count >= size<T>) {
    reinterpret_cast<Wide<T>*>(out)[at] = pack;
  } else {
#pragma unroll
    for (unsigned j = 0; j < width<T>; ++j) {
      if (at * width<T> + j < count) out[at * width<T> + j] = pack.at[j];
    }
  }
}

// The sum over a warp, in all its lanes.
template <class T>
__device__ T add_warp(T value) {
#pragma unroll
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(all_lanes, value, offset);
  }
  return value;
}

// The sum of the warps before this one, and of all, from the warp's sum in each thread. `box` may
// be used again after a barrier.
template <class T>
struct OfWarps {
  T before, all;
};
template <class T>
__device__ OfWarps<T> add_warps(T sum, T (&box)[warps]) {
  const unsigned warp = threadIdx.x / lanes;
  if (threadIdx.x % lanes == 0) box[warp] = sum;
  __syncthreads();
  OfWarps<T> result = {};
#pragma unroll
  for (unsigned w = 0; w < warps; ++w) {
    if (w == warp) result.before = result.all;
    result.all += box[w];
  }
  return result;
}

// Brings a tile into shared memory and scans it there. Returns its sum, and calls known(sum) before
// the scan.
template <class T, class Known>
__device__ T scan_tile(const T* in, std::uint64_t count, Room<T>& room, const Known& known) {
  Wide<T> pack[packs];
  load(in, count, pack);
  T brought = 0;
#pragma unroll
  for (unsigned k = 0; k < packs; ++k) {
    room.tile[place(pack_of(k))] = pack[k];
#pragma unroll
    for (unsigned j = 0; j < width<T>; ++j) brought += pack[k].at[j];
  }
  const OfWarps<T> sums = add_warps(add_warp(brought), room.of_warps);
  known(sums.all);
  Wide<T>* const row = room.tile + threadIdx.x * pitch;
  T sum = 0;
#pragma unroll
  for (unsigned k = 0; k < packs; ++k) {
    const Wide<T> one = row[k];
#pragma unroll
    for (unsigned j = 0; j < width<T>; ++j) sum += one.at[j];
  }
  const unsigned lane = threadIdx.x % lanes;
#pragma unroll
  for (unsigned offset = 1; offset < lanes; offset *= 2) {
    const T left = __shfl_up_sync(all_lanes, sum, offset);
    if (lane >= offset) sum += left;
  }
  const T left = __shfl_up_sync(all_lanes, sum, 1);
  // The row is read once more: kept in registers, it would leave too few of them.
  T before = lane == 0 ? sums.before : sums.before + left;
#pragma unroll
  for (unsigned k = 0; k < packs; ++k) {
    Wide<T> one = row[k];
#pragma unroll
    for (unsigned j = 0; j < width<T>; ++j) one.at[j] = before += one.at[j];
    row[k] = one;
  }
  __syncwarp();
  return sums.all;
}

template <class T>
__device__ T scan_tile(const T* in, std::uint64_t count, Room<T>& room) {
  return scan_tile(in, count, room, [](T) {});
}

// Stores a scanned tile with `base` added.
template <class T>
__device__ void store_tile(const Room<T>& room, T* out, std::uint64_t count, T base) {
#pragma unroll
  for (unsigned k = 0; k < packs; ++k) {
    store(out, count, k, room.tile[place(pack_of(k))], base);
  }
}

// Leaves each tile's total.
template <class T>
__global__ void __launch_bounds__(threads, shape.teams) add_tiles_kernel(Sequence<T> s) {
  __shared__ T box[warps];
  const std::uint64_t first = std::uint64_t{blockIdx.x} * size<T>;
  Wide<T> pack[packs];
  load(s.in + first, s.n - first, pack);
  T sum = 0;
#pragma unroll
  for (unsigned k = 0; k < packs; ++k) {
#pragma unroll
    for (unsigned j = 0; j < width<T>; ++j) sum += pack[k].at[j];
  }
  const T all = add_warps(add_warp(sum), box).all;
  if (threadIdx.x == 0) s.totals[blockIdx.x] = all;
}

// Scans each tile from the total before it.
template <class T>
__global__ void __launch_bounds__(threads, shape.teams) scan_tiles_kernel(Sequence<T> s) {
  __shared__ Room<T> room;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * size<T>;
  scan_tile(s.in + first, s.n - first, room);
  const T base = blockIdx.x > 0 ? s.totals[blockIdx.x - 1] : T(0);
  store_tile(room, s.out + first, s.n - first, base);
}

// One block, tile by tile.
template <class T>
__global__ void __launch_bounds__(threads, shape.teams)
    scan_totals_kernel(T* totals, std::uint64_t count) {
  __shared__ Room<T> room;
  T before = 0;
  for (std::uint64_t first = 0; first < count; first += size<T>) {
    const T sum = scan_tile(totals + first, count - first, room);
    store_tile(room, totals + first, count - first, before);
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

// What `tile` has published. The tiles before the first sum to 0.
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
  for (std::int64_t at = std::int64_t{tile} - 1 - lane;; at -= shape.window()) {
    State<T> state[shape.looks];
#pragma unroll
    for (unsigned j = 0; j < shape.looks; ++j) state[j] = read_state(s, at - j * lanes, run);
#pragma unroll
    for (unsigned j = 0; j < shape.looks; ++j) {
      while (!state[j].has(own) && !state[j].has(whole)) {
        state[j] = read_state(s, at - j * lanes, run);
      }
      __syncwarp();
      const unsigned ends = __ballot_sync(all_lanes, state[j].has(whole));
      if (ends == 0 || lane < static_cast<unsigned>(__ffs(ends))) sum += state[j].sum();
      if (ends != 0) return add_warp(sum);
    }
  }
}

// One pass over memory. Blocks draw tiles in order, so that a block waits only for blocks that have
// started; the last tile's block sets the ticket back. One tile alone needs no ticket.
template <class T>
__global__ void __launch_bounds__(threads, shape.teams)
    look_back_kernel(Sequence<T> s, unsigned tiles) {
  __shared__ Room<T> room;
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
  const T sum = scan_tile(s.in + first, s.n - first, room, [&](T own) {
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
  store_tile(room, s.out + first, s.n - first, tiles > 1 ? found : T(0));
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
