// SPDX-License-Identifier: Apache-2.0
// Boxes copied by one kernel for all of them, as a launch takes longer than a halo: packed and
// unpacked, or, in one launch an exchange, loaded from other GPUs with flags of system scope
// instead of the host.
#include <cuda_runtime.h>

#include <cuda/atomic>

#include "src/distributed/direct_flags.hpp"
#include "src/memory/cuda_check.hpp"

namespace portcost::distributed {

namespace {

constexpr int threads = 256, batch = 4;
constexpr std::int64_t most_packing_blocks = 1024;
// Of a box; these have 4 MiB of loads under way at most, and half of that in the middle, between
// loads and stores. Of the rows of blocks one is for each box.
constexpr std::int64_t most_blocks = 256, most_rows = 64;
constexpr int polls = 64;  // between two looks at the clock

using SystemFlag = cuda::atomic_ref<unsigned long long, cuda::thread_scope_system>;
using Count = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
using Failed = cuda::atomic_ref<int, cuda::thread_scope_device>;
using HostWord = cuda::atomic_ref<int, cuda::thread_scope_system>;

__device__ std::int64_t nanoseconds() {
  std::int64_t result;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(result));
  return result;
}

// To all flags of a kind; whoever sees the number sees all that comes before on this stream. One
// fence for all of them: it takes longer than the stores.
__device__ void set(const DirectMoves& moves, Flag* NeighbourFlags::*flag) {
  cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
#pragma unroll 1
  for (int i = 0; i < moves.neighbour_count; ++i) {
    Flag* const there = moves.neighbours[i].*flag;
    if (there == nullptr) continue;
    SystemFlag(there->number).store(moves.number, cuda::memory_order_relaxed);
  }
}

// False where the number does not come in time: then nothing is waited for any more.
__device__ bool wait_for(const DirectMoves& moves, Flag* flag, int neighbour) {
  const SystemFlag number(flag->number);
  const Failed failed(moves.state->failed);
  const std::int64_t begin = nanoseconds();
  do {
#pragma unroll 1
    for (int i = 0; i < polls; ++i) {
      if (number.load(cuda::memory_order_acquire) >= moves.number) return true;
    }
  } while (failed.load(cuda::memory_order_relaxed) == 0 &&
           nanoseconds() - begin < moves.patience_ns);
  int nobody = 0;
  if (failed.compare_exchange_strong(nobody, neighbour + 1, cuda::memory_order_relaxed)) {
    HostWord(*moves.failure).store(neighbour + 1, cuda::memory_order_release);
  }
  return false;
}

// By the first block that runs, so that blocks that wait never keep it from being said.
__device__ void say_ready(const DirectMoves& moves) {
  if (Count(moves.state->begun).fetch_add(1, cuda::memory_order_relaxed) != 0) return;
  set(moves, &NeighbourFlags::ready_there);
}

// By the last block: all blocks have moved. Then waits until the neighbours have moved their
// points.
__device__ void say_moved(const DirectMoves& moves) {
  const unsigned blocks = gridDim.x * gridDim.y;
  if (Count(moves.state->ended).fetch_add(1, cuda::memory_order_acq_rel) != blocks - 1) return;
  set(moves, &NeighbourFlags::moved_there);
#pragma unroll 1
  for (int i = 0; i < moves.neighbour_count; ++i) {
    Flag* const moved = moves.neighbours[i].moved_here;
    if (moved != nullptr) wait_for(moves, moved, i);
  }
  moves.state->begun = 0;
  moves.state->ended = 0;
}

// The blocks of x take a box's words in turn, several loads of a thread under way.
template <class Word, class Index>
__device__ void copy_box(const BoxCopy copy) {
  const auto columns = static_cast<Index>(copy.columns), rows = static_cast<Index>(copy.rows);
  const Index end = static_cast<Index>(copy.planes) * rows * columns;
  const Index step = static_cast<Index>(gridDim.x) * threads;
  for (Index i = static_cast<Index>(blockIdx.x) * threads + threadIdx.x; i < end;
       i += batch * step) {
    Word held[batch];
    std::int64_t to[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) {
      const Index at = i + j * step;
      if (at >= end) break;
      const Index row = at / columns;
      const std::int64_t c = at - row * columns, r = row % rows, p = row / rows;
      to[j] = p * copy.target.plane + r * copy.target.pitch;
      const auto from = copy.source.data + p * copy.source.plane + r * copy.source.pitch;
      held[j] = reinterpret_cast<const Word*>(from)[c];
      to[j] += c * static_cast<std::int64_t>(sizeof(Word));
    }
#pragma unroll
    for (int j = 0; j < batch; ++j) {
      if (i + j * step < end) *reinterpret_cast<Word*>(copy.target.data + to[j]) = held[j];
    }
  }
}

// Boxes are numbered in y. One thread of a block waits, and the barrier hands on what it saw.
template <class Word, class Index>
__global__ void __launch_bounds__(threads) move_directly(const DirectMoves moves) {
  __shared__ bool there;
  if (threadIdx.x == 0) say_ready(moves);
  for (int box = static_cast<int>(blockIdx.y); box < moves.count;
       box += static_cast<int>(gridDim.y)) {
    const int neighbour = moves.copies[box].neighbour;
    __syncthreads();  // all have read `there` of the box before
    if (threadIdx.x == 0) {
      there = wait_for(moves, moves.neighbours[neighbour].ready_here, neighbour);
    }
    __syncthreads();
    if (there) copy_box<Word, Index>(moves.copies[box].copy);
  }
  __syncthreads();  // all moves of the block are done
  if (threadIdx.x == 0) say_moved(moves);
}

// Blocks that wait keep others off. Of ranks that share a GPU at the same time (MPS) each takes no
// more than its part of those that fit, so that none keeps off the blocks that it waits for.
std::int64_t most_waiting(int sharing) {
  if (sharing == 1) return most_blocks * most_rows;
  static const std::int64_t fit = [] {
    int blocks = 0;
    cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, move_directly<int4, std::int64_t>, threads, 0));
    return std::int64_t{processors(Place::device)} * blocks;
  }();
  return std::max<std::int64_t>(1, fit / sharing);
}

template <class Word>
void launch(const DirectMoves& moves, std::int64_t largest, const Stream& stream) {
  const std::int64_t waiting = most_waiting(moves.sharing);
  const auto y = std::clamp<std::int64_t>(moves.count, 1, std::min(most_rows, waiting));
  const auto most = std::min(most_blocks, waiting / y);
  const auto x = std::clamp<std::int64_t>((largest + threads - 1) / threads, 1, most);
  const dim3 grid(static_cast<unsigned>(x), static_cast<unsigned>(y));
  // In 32 bits where also the steps beyond the end fit.
  if (largest < (std::int64_t{1} << 31)) {
    move_directly<Word, std::uint32_t><<<grid, threads, 0, stream.native()>>>(moves);
  } else {
    move_directly<Word, std::int64_t><<<grid, threads, 0, stream.native()>>>(moves);
  }
  cuda_check(cudaGetLastError());
}

// A box for each number in y; the threads of x take its elements in turn, neighbours along a row.
template <class Word>
__global__ void copy_boxes(const BoxCopy* copies) {
  const BoxCopy copy = copies[blockIdx.y];
  const std::int64_t columns = copy.columns, rows = copy.rows;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  for (const std::int64_t end = copy.planes * rows * columns; i < end; i += step) {
    const std::int64_t c = i % columns, r = i / columns % rows, p = i / columns / rows;
    const auto from = copy.source.data + p * copy.source.plane + r * copy.source.pitch;
    const auto to = copy.target.data + p * copy.target.plane + r * copy.target.pitch;
    reinterpret_cast<Word*>(to)[c] = reinterpret_cast<const Word*>(from)[c];
  }
}

// Calls f with a value of the word of so many bytes.
template <class F>
void with_word(const detail::Words& words, const F& f) {
  switch (words.bytes) {
    case 1:
      return f(char());
    case 2:
      return f(short());
    case 4:
      return f(int());
    case 8:
      return f(long());
    case 16:
      return f(int4());
    default:
      throw Failure("a device copies elements of 1, 2, 4, 8 or 16 bytes");
  }
}

}  // namespace

void enqueue_direct_moves(const DirectMoves& moves, const detail::Words& words,
                          const Stream& stream) {
  with_word(words, [&](auto word) { launch<decltype(word)>(moves, words.largest, stream); });
}

void detail::enqueue_box_copies(std::span<const BoxCopy> on_device, const Words& words,
                                const Stream& stream) {
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::int64_t>((words.largest + threads - 1) / threads, 1, most_packing_blocks));
  // What is numbered in y is at most 65535.
  constexpr std::size_t most = 65535;
  for (std::size_t first = 0; first < on_device.size(); first += most) {
    const auto count = static_cast<unsigned>(std::min(most, on_device.size() - first));
    with_word(words, [&](auto word) {
      copy_boxes<decltype(word)>
          <<<dim3(blocks, count), threads, 0, stream.native()>>>(on_device.data() + first);
    });
    cuda_check(cudaGetLastError());
  }
}

}  // namespace portcost::distributed
