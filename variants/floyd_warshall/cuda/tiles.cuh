// SPDX-License-Identifier: Apache-2.0
// Native GPU kernels of the steps on cubes: the pivot tile over its own vertices, and other tiles
// over them. Threads keep their elements in registers; data that others need lies in shared memory.
#pragma once

#include "variants/floyd_warshall/bodies.hpp"
#include "variants/shared/cuda_tiles.cuh"

namespace portcost::floyd_warshall {

// Closes tile (k, k), whose own paths are then final. For each vertex the threads that hold its row
// and column publish them in shared memory, double-buffered, so that one barrier is enough.
template <class Shape, bool paths, class T>
__device__ __forceinline__ void close_tile(const Graph<T>& g, int k, T* published,
                                           int* published_hops) {
  constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols;
  constexpr int group = Shape::group_y, group_x = Shape::group_x;
  const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x), first = k * tile;
  T best[rows][cols];
  int hop[paths ? rows : 1][cols];
  load_pivot<Shape, paths>(g, best, hop, first, x, y);
  for (int four = 0; four < tile; four += group) {
#pragma unroll
    for (int e = 0; e < group; ++e) {
      const int middle = four + e;
      T *const row = published + (e & 1) * 2 * tile, *const column = row + tile;
      int* const hops = paths ? published_hops + (e & 1) * tile : nullptr;
#pragma unroll
      for (int r = e; r < rows; r += group) {
        if (Shape::row_of(y, r) != middle) continue;
#pragma unroll
        for (int c = 0; c < cols; ++c) row[Shape::col_of(x, c)] = best[r][c];
      }
#pragma unroll
      for (int c = group_x == group ? e : 0; c < cols; c += group_x) {
        if (Shape::col_of(x, c) != middle) continue;
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          column[Shape::row_of(y, r)] = best[r][c];
          if constexpr (paths) hops[Shape::row_of(y, r)] = hop[r][c];
        }
      }
      __syncthreads();
      if (row[middle] < 0) {
        if (threadIdx.x == 0 && *g.negative < 0) *g.negative = first + middle;
        continue;
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const T to = column[Shape::row_of(y, r)];
#pragma unroll
        for (int c = 0; c < cols; ++c) {
          const T from = row[Shape::col_of(x, c)];
          if constexpr (paths) {
            if (relaxes(best[r][c], to, from)) hop[r][c] = hops[Shape::row_of(y, r)];
          } else {
            best[r][c] = relax(best[r][c], to, from);
          }
        }
      }
    }
  }
  store_pivot<Shape, paths>(g, best, hop, first, x, y);
}
template <class Shape, bool paths, class T>
__global__ void __launch_bounds__(Shape::threads) close_kernel(Graph<T> g, int k) {
  __shared__ alignas(pack_bytes<T>) T published[Shape::close_scratch];
  __shared__ int published_hops[paths ? 2 * Shape::tile : 1];
  if (!g.stopped()) close_tile<Shape, paths>(g, k, published, published_hops);
}

// Relaxes a tile over the vertices of tiles [k, k + depth). `async`: slices are prefetched to
// shared memory by asynchronous copies, which bypass the registers.
template <class Shape, bool async, bool paths, class T>
__device__ __forceinline__ void take_tile(const Graph<T>& g, Tile at, int k, int depth,
                                          T* scratch) {
  constexpr int rows = Shape::rows, cols = Shape::cols, slice = Shape::slice;
  constexpr bool pipelined = Shape::pipelined;
  const auto left = [&](int buffer) { return scratch + buffer * Shape::left_slice; };
  const auto right = [&](int buffer) {
    return scratch + Shape::buffers * Shape::left_slice + buffer * Shape::right_slice;
  };
  const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x);
  const int first = k * Shape::tile, steps = depth * Shape::tile / slice;
  T best[rows][cols];
  int middle[paths ? rows : 1][cols];
  begin_paths<Shape, paths>(best, middle);
  Loads<Shape, T> loads(g, at, first);
  if constexpr (async) {
    loads.copy(left(0), right(0));
    __pipeline_wait_prior(0);
  } else {
    loads.fetch();
    loads.publish(left(0), right(0));
  }
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const int now = pipelined ? step & 1 : 0, later = pipelined ? now ^ 1 : 0;
    const bool more = step + 1 < steps;
    if constexpr (async) {
      if (more) loads.copy(left(later), right(later));
      relax_slice<Shape, paths>(best, middle, x, y, step * slice, left(now), right(now));
      __pipeline_wait_prior(0);
    } else if constexpr (pipelined) {
      if (more) loads.fetch();
      relax_slice<Shape, paths>(best, middle, x, y, step * slice, left(now), right(now));
      if (more) loads.publish(left(later), right(later));
    } else {
      relax_slice<Shape, paths>(best, middle, x, y, step * slice, left(0), right(0));
      __syncthreads();
      if (!more) break;
      loads.fetch();
      loads.publish(left(0), right(0));
    }
    __syncthreads();
  }
  // All threads have read their operands, so that a tile of the cross, which is an operand of its
  // own, may be written.
  const int i0 = at.row * Shape::tile, j0 = at.col * Shape::tile;
  if constexpr (paths) {
    find_hops<Shape>(g, best, middle, i0, j0, first, x, y);
    __syncthreads();
    store_hops<Shape>(g, best, middle, i0, j0, x, y);
  } else {
    store<Shape>(g, best, i0, j0, x, y);
  }
}
// The tiles of a region, a tile a block.
template <class Shape, bool async, bool paths, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams)
    product_kernel(Graph<T> g, Region region) {
  __shared__ alignas(pack_bytes<T>) T scratch[Shape::scratch];
  if (g.stopped()) return;
  take_tile<Shape, async, paths>(g, region.at(blockIdx.x), region.k, region.depth, scratch);
}

template <class Shape, bool paths, class T>
void launch_close(const Graph<T>& g, int k, cudaStream_t stream) {
  close_kernel<Shape, paths><<<1, Shape::threads, 0, stream>>>(g, k);
  cuda_check(cudaGetLastError());
}
template <class Shape, bool async, bool paths, class T>
void launch_product(const Graph<T>& g, const Region& region, cudaStream_t stream) {
  if (region.count() == 0) return;
  product_kernel<Shape, async, paths>
      <<<static_cast<unsigned>(region.count()), Shape::threads, 0, stream>>>(g, region);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::floyd_warshall
