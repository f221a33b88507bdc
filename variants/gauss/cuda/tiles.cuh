// SPDX-License-Identifier: Apache-2.0
// Native GPU kernels of panel and the steps after it: the trailing update. Threads keep their
// elements in registers; slices that others need lie in shared memory.
#pragma once

#include "variants/gauss/bodies.hpp"
#include "variants/gauss/cuda/early.cuh"
#include "variants/shared/cuda_tiles.cuh"

namespace portcost::gauss {

// Loads a thread's elements of a tile to registers, or stores them.
template <class Shape, class T>
__device__ __forceinline__ void load_tile(T (&own)[Shape::rows][Shape::cols], const System<T>& s,
                                          Tile at, int x, int y) {
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const T* const row = s.row(at.row * Shape::tile + Shape::row_of(y, r)) + at.col * Shape::tile;
#pragma unroll
    for (int c = 0; c < Shape::cols; c += Shape::group_x) {
      copy_pack<Shape::group_x>(own[r] + c, row + Shape::col_of(x, c));
    }
  }
}
template <class Shape, class T>
__device__ __forceinline__ void store_tile(const T (&own)[Shape::rows][Shape::cols],
                                           const System<T>& s, Tile at, int x, int y) {
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    T* const row = s.row(at.row * Shape::tile + Shape::row_of(y, r)) + at.col * Shape::tile;
#pragma unroll
    for (int c = 0; c < Shape::cols; c += Shape::group_x) {
      copy_pack<Shape::group_x>(row + Shape::col_of(x, c), own[r] + c);
    }
  }
}

// Loads a thread's elements of a tile and updates them by the pivots in `columns`, at least one
// slice of them. scratch: Shape::scratch elements, free for another use at the end.
template <class Shape, class T>
__device__ __forceinline__ void load_less_products(T (&own)[Shape::rows][Shape::cols],
                                                   const System<T>& s, Tile at, int x, int y,
                                                   Columns columns, T* scratch) {
  const auto left = [&](int buffer) { return scratch + buffer * Shape::left_slice; };
  const auto right = [&](int buffer) {
    return scratch + 2 * Shape::left_slice + buffer * Shape::right_slice;
  };
  const int steps = (columns.end - columns.first) / Shape::slice;
  Loads<Shape, T> loads(s, at, columns.first);
  loads.fetch();
  load_tile<Shape>(own, s, at, x, y);
  loads.publish(left(0), right(0));
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const int now = step & 1, later = now ^ 1;
    const bool more = step + 1 < steps;
    if (more) loads.fetch();
    take_slice<Shape>(own, x, y, left(now), right(now));
    if (more) loads.publish(left(later), right(later));
    __syncthreads();
  }
}

// What an update's launch does besides: nothing; it begins early (early.cuh) and lets the next
// launch begin early; or it counts the blocks that have ended.
enum class Also { nothing, begins_early, counts };

// Updates the tiles of a region by its columns, a tile a block. ended: the count of blocks.
template <class Shape, Also also, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams)
    product_kernel(System<T> s, Region region, [[maybe_unused]] int* ended) {
  __shared__ alignas(pack_bytes<T>) T scratch[Shape::scratch];
  if constexpr (also == Also::begins_early) {
    let_next_begin();
    wait_for_before();
  }
  if (s.stopped()) {
    if constexpr (also == Also::counts) publish(ended, 1);
    return;
  }
  const Tile at = region.at(blockIdx.x);
  const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x);
  T own[Shape::rows][Shape::cols];
  load_less_products<Shape>(own, s, at, x, y, region.columns, scratch);
  store_tile<Shape>(own, s, at, x, y);
  if constexpr (also == Also::counts) publish(ended, 1);
}

template <class Shape, Also also = Also::nothing, class T>
void launch_product(const System<T>& s, const Region& region, cudaStream_t stream,
                    int* ended = nullptr) {
  if (region.count() == 0) return;
  launch(also == Also::begins_early, product_kernel<Shape, also, T>,
         static_cast<unsigned>(region.count()), Shape::threads, 0, stream, s, region, ended);
}

}  // namespace portcost::gauss
