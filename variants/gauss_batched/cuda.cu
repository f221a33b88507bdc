// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: a thread a system, in global or shared memory; a block a system; and the
// table of all steps.
#include <string_view>

#include "src/support/error.hpp"
#include "variants/gauss_batched/cuda/lane_grid.cuh"

namespace portcost::gauss_batched {

namespace {

// Factorises a thread's system, whose rows lie n apart. Returns the column whose pivot is refused,
// or -1.
template <class T>
__device__ int factor(const Batch<T>& b, T* a) {
  for (int k = 0; k < b.n; ++k) {
    const T* const from = a + k * b.n;
    const T pivot = from[k];
    if (b.refuses(pivot)) return k;
    const T inverse = reciprocal(pivot);
    for (int i = k + 1; i < b.n; ++i) {
      T* const row = a + i * b.n;
      const T factor = multiplier(row[k], inverse);
      row[k] = factor;
#pragma unroll 4  // rows are short: a longer body would leave most of them to the prologue
      for (int j = k + 1; j < b.n; ++j) row[j] = eliminate(row[j], factor, from[j]);
    }
  }
  return -1;
}

// In global memory; neighbouring threads' elements are a system apart.
constexpr int each = each_systems(Place::device);
template <class T>
__global__ void __launch_bounds__(each) thread_each_kernel(Batch<T> b) {
  const int system = blockIdx.x * each + threadIdx.x;
  if (system >= b.count) return;
  const int bad = factor(b, b.system(system));
  if (bad >= 0) b.bad_pivot[system] = bad;
}

// Copies the elements of a block's systems to shared memory or back. A thread loads a whole group
// before it stores the first element, without bounds checks inside a group.
template <class Shape, class T, class From, class To>
__device__ void copy(int count, const From& from, const To& to) {
  constexpr int threads = Shape::threads, together = Shape::together;
  const int grouped = count / Shape::group * Shape::group;
#pragma unroll 1  // a group is unrolled already
  for (int first = threadIdx.x; first < grouped; first += Shape::group) {
    T some[together];
#pragma unroll
    for (int q = 0; q < together; ++q) some[q] = *from(first + q * threads);
#pragma unroll
    for (int q = 0; q < together; ++q) *to(first + q * threads) = some[q];
  }
  for (int e = grouped + threadIdx.x; e < count; e += threads) *to(e) = *from(e);
}

// Several systems in shared memory, a thread a system.
template <class T>
__global__ void __launch_bounds__(lanes) staged_kernel(Batch<T> b, int systems) {
  extern __shared__ double memory[];
  T* const staged = reinterpret_cast<T*>(memory);
  const int first = blockIdx.x * systems, there = min(systems, b.count - first);
  const StagedPlaces place(b.n);
  T* const systems_at = b.system(first);
  const auto global = [=](int e) { return systems_at + e; };
  const auto scratch = [=](int e) { return staged + place.of(e); };
  copy<StagedCopy, T>(there * b.size(), global, scratch);
  __syncwarp();
  if (threadIdx.x < there) {
    const int bad = factor(b, staged + threadIdx.x * staged_pitch(b.n));
    if (bad >= 0) b.bad_pivot[first + threadIdx.x] = bad;
  }
  __syncwarp();
  copy<StagedCopy, T>(there * b.size(), scratch, global);
}

// A system a block, in shared memory, a row a warp at a time.
template <class T>
__global__ void __launch_bounds__(lanes* team_warps) team_each_kernel(Batch<T> b) {
  extern __shared__ double memory[];
  T* const staged = reinterpret_cast<T*>(memory);
  const int warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  T* const a = b.system(blockIdx.x);
  const auto global = [=](int e) { return a + e; };
  const auto scratch = [=](int e) { return staged + e; };
  copy<TeamCopy, T>(b.size(), global, scratch);
  for (int k = 0; k < b.n; ++k) {
    __syncthreads();
    const T* const from = staged + k * b.n;
    const T pivot = from[k];
    if (b.refuses(pivot)) {
      if (threadIdx.x == 0) b.bad_pivot[blockIdx.x] = k;
      break;
    }
    const T inverse = reciprocal(pivot);
    for (int i = k + 1 + warp; i < b.n; i += team_warps) {
      T* const row = staged + i * b.n;
      const T factor = multiplier(row[k], inverse);
      for (int j = k + 1 + lane; j < b.n; j += lanes) row[j] = eliminate(row[j], factor, from[j]);
      __syncwarp();
      if (lane == 0) row[k] = factor;
    }
  }
  __syncthreads();
  copy<TeamCopy, T>(b.size(), scratch, global);
}

unsigned blocks(int count, int of_block) {
  return static_cast<unsigned>(ceil_div(count, of_block));
}

constexpr auto thread_each = []<class T>(const Batch<T>& b, const Stream& stream) {
  thread_each_kernel<<<blocks(b.count, each), each, 0, stream.native()>>>(b);
  cuda_check(cudaGetLastError());
};

constexpr auto staged = []<class T>(const Batch<T>& b, const Stream& stream) {
  const int systems = staged_systems<T>(b.n);
  const auto room = static_cast<std::size_t>(systems * staged_pitch(b.n)) * sizeof(T);
  staged_kernel<<<blocks(b.count, systems), lanes, room, stream.native()>>>(b, systems);
  cuda_check(cudaGetLastError());
};

constexpr auto team_each = []<class T>(const Batch<T>& b, const Stream& stream) {
  const auto room = static_cast<std::size_t>(b.size()) * sizeof(T);
  team_each_kernel<<<blocks(b.count, 1), lanes * team_warps, room, stream.native()>>>(b);
  cuda_check(cudaGetLastError());
};

constexpr auto lane_grid = []<class T>(const Batch<T>& b, const Stream& stream) {
  with_grid<T>(b.n, [&]<class Shape>(Shape) {
    lane_grid_kernel<ThroughScratch, Shape>
        <<<blocks(b.count, Shape::systems), Shape::threads, 0, stream.native()>>>(b);
  });
  cuda_check(cudaGetLastError());
};

constexpr auto shuffles = []<class T>(const Batch<T>& b, const Stream& stream) {
  with_grid<T>(b.n, [&]<class Shape>(Shape) {
    if constexpr (Shape::of_system <= lanes) {
      lane_grid_kernel<ByShuffles, Shape>
          <<<blocks(b.count, Shape::systems), Shape::threads, 0, stream.native()>>>(b);
    } else {
      throw Failure("shuffles: a system has more lanes than a warp");
    }
  });
  cuda_check(cudaGetLastError());
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "thread_each", thread_each), rung(works, "staged", staged),
          rung(works, "team_each", team_each), rung(works, "lane_grid", lane_grid),
          rung(works, "shuffles", shuffles).unless(why_not_shuffles)};
}

}  // namespace portcost::gauss_batched
