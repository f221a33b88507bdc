// SPDX-License-Identifier: Apache-2.0
// Native GPU kernels of panel and look_ahead: products of tiles. Threads have elements in
// registers; what others need lies in scratch.
#pragma once

#include "src/memory/cuda_check.hpp"
#include "variants/gauss/problem.hpp"

namespace portcost::gauss {

template <int count, class T>
__device__ void copy_pack(T* to, const T* from) {
  *reinterpret_cast<Pack<T, count>*>(to) = *reinterpret_cast<const Pack<T, count>*>(from);
}
inline constexpr int pack_bytes = 32;  // a pack of four in f64

// A thread's elements of a tile, to registers or back.
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

// What a thread loads of each slice: of a row of multipliers, and of a row of U.
template <class Shape, class T>
class Loads {
 public:
  __device__ Loads(const System<T>& s, Tile at, int via)
      : left_from_(s.row(at.row * tile + line()) + via + column()),
        right_from_(s.row(via + below()) + at.col * tile + across()),
        right_step_(s.offset(slice)) {}

  // The next slice into registers; from there to scratch.
  __device__ void fetch() {
    copy_pack<pack>(left_, left_from_);
    copy_pack<pack>(right_, right_from_);
    left_from_ += slice;
    right_from_ += right_step_;
  }
  __device__ void show(T* left, T* right) const {
#pragma unroll
    for (int e = 0; e < pack; ++e) left[(column() + e) * Shape::left_pitch + line()] = left_[e];
    copy_pack<pack>(right + below() * tile + across(), right_);
  }

 private:
  static constexpr int tile = Shape::tile, slice = Shape::slice, pack = Shape::pack;

  __device__ static int line() { return threadIdx.x / (slice / pack); }
  __device__ static int column() { return threadIdx.x % (slice / pack) * pack; }
  __device__ static int below() { return threadIdx.x / (tile / pack); }
  __device__ static int across() { return threadIdx.x % (tile / pack) * pack; }

  const T *left_from_, *right_from_;
  std::uint64_t right_step_;
  alignas(pack_bytes) T left_[pack], right_[pack];
};

// A thread's elements over the columns of one slice. What the next column needs is loaded before
// the work of one. Two a trip: in longer ones nvcc has too few registers in f32.
template <class Shape, class T>
__device__ __forceinline__ void take_slice(T (&own)[Shape::rows][Shape::cols], int x, int y,
                                           const T* left, const T* right) {
  constexpr int high = Shape::group_y, wide = Shape::group_x;
  alignas(pack_bytes) T times[2][Shape::rows], from[2][Shape::cols];
  const auto load = [&](int m, int place) {
#pragma unroll
    for (int r = 0; r < Shape::rows; r += high) {
      copy_pack<high>(times[place] + r, left + m * Shape::left_pitch + Shape::row_of(y, r));
    }
#pragma unroll
    for (int c = 0; c < Shape::cols; c += wide) {
      copy_pack<wide>(from[place] + c, right + m * Shape::tile + Shape::col_of(x, c));
    }
  };
  const auto take_two = [&](int m, bool last) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      if (!last || e == 0) load(m + e + 1, e ^ 1);
#pragma unroll
      for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
        for (int c = 0; c < Shape::cols; ++c) {
          own[r][c] = eliminate(own[r][c], times[e][r], from[e][c]);
        }
      }
    }
  };
  load(0, 0);
#pragma unroll 1
  for (int m = 0; m < Shape::slice - 2; m += 2) take_two(m, false);
  take_two(Shape::slice - 2, true);
}

// The tiles of a region less the products over its columns, a tile a block.
template <class Shape, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams)
    product_kernel(System<T> s, Region region) {
  __shared__ alignas(pack_bytes) T scratch[Shape::scratch];
  if (s.stopped()) return;
  const Tile at = region.at(blockIdx.x);
  const auto left = [&](int buffer) { return scratch + buffer * Shape::left_slice; };
  const auto right = [&](int buffer) {
    return scratch + 2 * Shape::left_slice + buffer * Shape::right_slice;
  };
  const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x);
  const int steps = (region.columns.end - region.columns.first) / Shape::slice;
  T own[Shape::rows][Shape::cols];
  Loads<Shape, T> loads(s, at, region.columns.first);
  loads.fetch();
  load_tile<Shape>(own, s, at, x, y);
  loads.show(left(0), right(0));
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const int now = step & 1, later = now ^ 1;
    const bool more = step + 1 < steps;
    if (more) loads.fetch();
    take_slice<Shape>(own, x, y, left(now), right(now));
    if (more) loads.show(left(later), right(later));
    __syncthreads();
  }
  store_tile<Shape>(own, s, at, x, y);
}

template <class Shape, class T>
void launch_product(const System<T>& s, const Region& region, cudaStream_t stream) {
  if (region.count() == 0) return;
  product_kernel<Shape>
      <<<static_cast<unsigned>(region.count()), Shape::threads, 0, stream>>>(s, region);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::gauss
