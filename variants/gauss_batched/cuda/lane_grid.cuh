// SPDX-License-Identifier: Apache-2.0
// Native GPU kernel of lane_grid and shuffles: a grid of lanes holds a system in registers.
#pragma once

#include <utility>

#include "src/memory/cuda_check.hpp"
#include "variants/gauss_batched/bodies.hpp"

namespace portcost::gauss_batched {

// Lanes exchange through shared memory: the lanes that hold the columns or the rows publish them,
// double-buffered, because others may still read the previous ones.
template <class Shape, class T>
struct ThroughScratch {
  static constexpr int together = Shape::together, pack = Shape::pack;
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
  __device__ T* rows_at(int k) const { return scratch + (k / together & 1) * Shape::published; }

  __device__ __forceinline__ void exchange(Published<Shape, T>& published,
                                           const T (&own)[Shape::rows][Shape::cols], int k) const {
    T* const rows = rows_at(k);
    T* const columns = rows + together * Shape::n;
    if (x == Shape::x_with(k)) {
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        copy_pack<together>(columns + together * Shape::row_of(y, r), own[r] + Shape::c_with(k));
      }
    }
#pragma unroll
    for (int e = 0; e < together; ++e) {
      if (y != Shape::y_with(k + e)) continue;
#pragma unroll
      for (int c = Shape::c_with(k) / pack * pack; c < Shape::cols; c += pack) {
        copy_pack<pack>(rows + e * Shape::n + Shape::col_of(x, c), own[Shape::r_with(k + e)] + c);
      }
    }
    wait();
#pragma unroll
    for (int e = 0; e < together; ++e) {
      copy_pack<together>(published.square[e], columns + together * (k + e));
    }
#pragma unroll
    for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
      copy_pack<together>(published.column[r], columns + together * Shape::row_of(y, r));
    }
  }
  __device__ __forceinline__ void pivot_rows(PivotRows<Shape, T>& rows,
                                             const T (&)[Shape::rows][Shape::cols], int k,
                                             int c) const {
#pragma unroll
    for (int e = 0; e < together; ++e) {
      copy_pack<pack>(rows.at[e], rows_at(k) + e * Shape::n + Shape::col_of(x, c));
    }
  }
};

// Lanes of a warp exchange by warp shuffles.
template <class Shape, class T>
struct ByShuffles {
  static_assert(Shape::of_system <= lanes);
  static constexpr int together = Shape::together, pack = Shape::pack;
  int x, y;

  __device__ static ByShuffles of(int item) { return {Shape::x_of(item), Shape::y_of(item)}; }
  __device__ static T from(T element, int lane_y, int lane_x) {
    return __shfl_sync(~0u, element, lane_y * Shape::across + lane_x, Shape::of_system);
  }
  __device__ __forceinline__ void exchange(Published<Shape, T>& published,
                                           const T (&own)[Shape::rows][Shape::cols], int k) const {
    const int c = Shape::c_with(k);
#pragma unroll
    for (int f = 0; f < together; ++f) {
#pragma unroll
      for (int e = 0; e < together; ++e) {
        published.square[e][f] =
            from(own[Shape::r_with(k + e)][c + f], Shape::y_with(k + e), Shape::x_with(k));
      }
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        published.column[r][f] = from(own[r][c + f], y, Shape::x_with(k));
      }
    }
  }
  __device__ __forceinline__ void pivot_rows(PivotRows<Shape, T>& rows,
                                             const T (&own)[Shape::rows][Shape::cols], int k,
                                             int c) const {
#pragma unroll
    for (int e = 0; e < together; ++e) {
#pragma unroll
      for (int q = 0; q < pack; ++q) {
        rows.at[e][q] = from(own[Shape::r_with(k + e)][c + q], Shape::y_with(k + e), x);
      }
    }
  }
};

// Eliminates columns k, ..., `together` of them; returns false where the system has none of them. k
// is a constant, so that a lane's elements are registers: nvcc does not unroll a loop over the
// rounds of 64 unknowns.
template <int k, class Shape, class T, class Exchange>
__device__ __forceinline__ bool take_columns(T (&own)[Shape::rows][Shape::cols], const Batch<T>& b,
                                             const Exchange& exchange, int& bad) {
  if (k >= b.n) return false;
  Published<Shape, T> published;
  exchange.exchange(published, own, k);
  factorise_square<Shape>(published, b, bad, k);
#pragma unroll
  for (int c = Shape::c_with(k) / Shape::pack * Shape::pack; c < Shape::cols; c += Shape::pack) {
    PivotRows<Shape, T> rows;
    exchange.pivot_rows(rows, own, k, c);
    solve_pivot_rows(published, rows);
#pragma unroll
    for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
      update_row<Shape>(own, published, rows, exchange.x, exchange.y, k, c, r);
    }
  }
  return true;
}
// All rounds, until a round finds no columns.
template <class Shape, class T, class Exchange, int... round>
__device__ __forceinline__ void take_all(T (&own)[Shape::rows][Shape::cols], const Batch<T>& b,
                                         const Exchange& exchange, int& bad,
                                         std::integer_sequence<int, round...>) {
  static_cast<void>((take_columns<round * Shape::together, Shape>(own, b, exchange, bad) && ...));
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
  take_all<Shape>(own, b, exchange, bad,
                  std::make_integer_sequence<int, Shape::n / Shape::together>());
  if (!there) return;
  store_own<Shape>(own, a, b.n, x, y);
  if (bad >= 0 && x == 0 && y == 0) b.bad_pivot[system] = bad;
}

}  // namespace portcost::gauss_batched
