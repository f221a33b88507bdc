// SPDX-License-Identifier: Apache-2.0
// Native GPU kernel of lane_grid and shuffles: a system is spread over a grid of lanes, which have
// its elements in registers.
#pragma once

#include "src/memory/cuda_check.hpp"
#include "variants/gauss_batched/problem.hpp"

namespace portcost::gauss_batched {

// action(row, column, pack) for a lane's packs.
template <class Shape, class T, class Action>
__device__ __forceinline__ void for_packs(T (&own)[Shape::rows][Shape::cols], int x, int y,
                                          const Action& action) {
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
    for (int c = 0; c < Shape::cols; c += Shape::pack) {
      action(Shape::row_of(y, r), Shape::col_of(x, c), own[r] + c);
    }
  }
}
// A lane's elements, to registers or back. Where n is less than the shape's, element by element,
// and 0 past the end.
template <class Shape, class T>
__device__ __forceinline__ void load_own(T (&own)[Shape::rows][Shape::cols], const T* a, int n,
                                         int x, int y, bool there) {
  constexpr int pack = Shape::pack;
  if (there && n == Shape::n) {
    for_packs<Shape>(own, x, y,
                     [=](int i, int j, T* to) { copy_pack<pack>(to, a + i * Shape::n + j); });
    return;
  }
  for_packs<Shape>(own, x, y, [=](int i, int j, T* to) {
#pragma unroll
    for (int e = 0; e < pack; ++e) {
      to[e] = there && i < n && j + e < n ? a[i * n + j + e] : T(0);
    }
  });
}
template <class Shape, class T>
__device__ __forceinline__ void store_own(T (&own)[Shape::rows][Shape::cols], T* a, int n, int x,
                                          int y) {
  constexpr int pack = Shape::pack;
  if (n == Shape::n) {
    for_packs<Shape>(own, x, y, [=](int i, int j, const T* from) {
      copy_pack<pack>(a + i * Shape::n + j, from);
    });
    return;
  }
  for_packs<Shape>(own, x, y, [=](int i, int j, const T* from) {
#pragma unroll
    for (int e = 0; e < pack; ++e) {
      if (i < n && j + e < n) a[i * n + j + e] = from[e];
    }
  });
}

// What a lane needs of column k: the elements of the column in its rows, those of the pivot's row
// in its columns, and the pivot. Of rows and packs that are done, nothing.
template <class Shape, class T>
struct Shown {
  T column[Shape::rows];
  alignas(16) T row[Shape::cols];
  T pivot;
};

// Lanes exchange through scratch: those that have the column or the row show it in one of two
// places in turns, because others may still read the one before.
template <class Shape, class T>
struct ThroughScratch {
  T* scratch;  // of the lane's system
  int x, y;

  __device__ static ThroughScratch of(int item) {
    __shared__ alignas(16) T scratch[Shape::scratch];
    return {scratch + Shape::system_of(item) * Shape::apart, Shape::x_of(item), Shape::y_of(item)};
  }
  __device__ static void wait() {
    if constexpr (Shape::of_system <= lanes) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  __device__ __forceinline__ void exchange(Shown<Shape, T>& shown,
                                           const T (&own)[Shape::rows][Shape::cols], int k) const {
    constexpr int pack = Shape::pack;
    const int r_first = Shape::r_with(k), c_first = Shape::c_with(k) / pack * pack;
    T* const row = scratch + (k & 1) * Shape::shown;
    T* const column = row + Shape::n;
    if (x == Shape::x_with(k)) {
#pragma unroll
      for (int r = r_first; r < Shape::rows; ++r) {
        column[Shape::row_of(y, r)] = own[r][Shape::c_with(k)];
      }
    }
    if (y == Shape::y_with(k)) {
#pragma unroll
      for (int c = c_first; c < Shape::cols; c += pack) {
        copy_pack<pack>(row + Shape::col_of(x, c), own[r_first] + c);
      }
    }
    wait();
    shown.pivot = column[k];
#pragma unroll
    for (int r = r_first; r < Shape::rows; ++r) shown.column[r] = column[Shape::row_of(y, r)];
#pragma unroll
    for (int c = c_first; c < Shape::cols; c += pack) {
      copy_pack<pack>(shown.row + c, row + Shape::col_of(x, c));
    }
  }
};

// Lanes of a warp exchange by shuffles.
template <class Shape, class T>
struct ByShuffles {
  static_assert(Shape::of_system <= lanes);
  int x, y;

  __device__ static ByShuffles of(int item) { return {Shape::x_of(item), Shape::y_of(item)}; }
  __device__ static T from(T element, int lane_y, int lane_x) {
    return __shfl_sync(~0u, element, lane_y * Shape::across + lane_x, Shape::of_system);
  }
  __device__ __forceinline__ void exchange(Shown<Shape, T>& shown,
                                           const T (&own)[Shape::rows][Shape::cols], int k) const {
    const int r_first = Shape::r_with(k), c_of_k = Shape::c_with(k);
    shown.pivot = from(own[r_first][c_of_k], Shape::y_with(k), Shape::x_with(k));
#pragma unroll
    for (int r = r_first; r < Shape::rows; ++r) {
      shown.column[r] = from(own[r][c_of_k], y, Shape::x_with(k));
    }
#pragma unroll
    for (int c = c_of_k / Shape::pack * Shape::pack; c < Shape::cols; ++c) {
      shown.row[c] = from(own[r_first][c], Shape::y_with(k), x);
    }
  }
};

// A lane's part in column k. All lanes of a row calculate the multiplier, so that none waits for
// another; the one that has the column keeps it.
template <class Shape, class T>
__device__ __forceinline__ void take_column(T (&own)[Shape::rows][Shape::cols],
                                            const Shown<Shape, T>& shown, T inverse, int x, int y,
                                            int k) {
  const int c_of_k = Shape::c_with(k), x_of_k = Shape::x_with(k);
#pragma unroll
  for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
    if (r == Shape::r_with(k) && y <= Shape::y_with(k)) continue;
    const T times = multiplier(shown.column[r], inverse);
    if (x == x_of_k) own[r][c_of_k] = times;
#pragma unroll
    for (int c = c_of_k / Shape::pack * Shape::pack; c < Shape::cols; ++c) {
      // In the column's own pack, lanes after its own, and this one after the column.
      const bool later =
          c / Shape::pack > c_of_k / Shape::pack || x > x_of_k || (x == x_of_k && c > c_of_k);
      if (later) own[r][c] = eliminate(own[r][c], times, shown.row[c]);
    }
  }
}

template <template <class, class> class Exchange, class Shape, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams) lane_grid_kernel(Batch<T> b) {
  const auto exchange = Exchange<Shape, T>::of(threadIdx.x);
  const int x = exchange.x, y = exchange.y;
  const int system = blockIdx.x * Shape::systems + Shape::system_of(threadIdx.x);
  const bool there = system < b.count;
  T* const a = b.system(there ? system : 0);
  alignas(16) T own[Shape::rows][Shape::cols];
  load_own<Shape>(own, a, b.n, x, y, there);
  int bad = -1;
#pragma unroll
  for (int k = 0; k < Shape::n; ++k) {
    if (k >= b.n) break;
    Shown<Shape, T> shown;
    exchange.exchange(shown, own, k);
    const bool refused = b.refuses(shown.pivot);
    if (refused && bad < 0) bad = k;
    take_column<Shape>(own, shown, reciprocal(refused ? T(1) : shown.pivot), x, y, k);
  }
  if (!there) return;
  store_own<Shape>(own, a, b.n, x, y);
  if (bad >= 0 && x == 0 && y == 0) b.bad_pivot[system] = bad;
}

}  // namespace portcost::gauss_batched
