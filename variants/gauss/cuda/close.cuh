// SPDX-License-Identifier: Apache-2.0
// Native GPU kernel of panel and look_ahead: closing a tile.
#pragma once

#include "variants/gauss/cuda/tiles.cuh"

namespace portcost::gauss {

// The reciprocal of a pivot, rounded as a division is, in two parts: the first takes long, and
// something else is done meanwhile. The steps are those that nvcc makes of a division.
__device__ __forceinline__ float approximate_reciprocal(float p) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(p));
  return r;
}
__device__ __forceinline__ double approximate_reciprocal(double p) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(p));
  // It leaves the low half 0. This one, of nvcc's division, spares the steps after it a tie.
  return __hiloint2double(__double2hiint(r), __double2hiint(p) + 0x300402);
}
__device__ __forceinline__ float refined(float p, float r) { return fmaf(r, fmaf(-p, r, 1.0f), r); }
__device__ __forceinline__ double refined(double p, double r) {
  const double e = fma(-p, r, 1.0);
  r = fma(r, fma(e, e, e), r);
  return fma(r, fma(-p, r, 1.0), r);
}
template <class T>
class EarlyReciprocal {
 public:
  __device__ __forceinline__ void begin(T p) { near_ = approximate_reciprocal(p); }
  // Of the same p. Where 1 / p is less than a normal number the steps fail.
  __device__ __forceinline__ T of(T p) const {
    return fabs(p) < great ? refined(p, near_) : reciprocal(p);
  }

 private:
  static constexpr T great = sizeof(T) == 4 ? T(0x1p125) : T(0x1p1000);
  T near_;
};

// Closes the square of a turn's pivots, by one warp, a row a lane.
template <class T>
class ClosingWarp {
 public:
  using At = CloseScratch<T>;
  static constexpr int width = At::width, tile = panel_tile;

  // via: the first of the pivots in the tile; column: in the matrix.
  __device__ __forceinline__ static void close(const System<T>& s, T* scratch, int via,
                                               int column) {
    ClosingWarp warp(s, scratch, via, column);
    if constexpr (width == 32) {
      warp.template some<32>(0);
      warp.template some<24>(8);
    }
    if constexpr (width >= 16) warp.template some<16>(width - 16);
    warp.template some<8>(width - 8);
    const unsigned refused = __ballot_sync(all, warp.refused_);
    if (warp.lane_ == 0) {
      scratch[At::bad] = refused == 0 ? width : __ffs(static_cast<int>(refused)) - 1;
    }
  }

 private:
  static constexpr unsigned all = ~0u;

  __device__ __forceinline__ ClosingWarp(const System<T>& s, T* scratch, int via, int column)
      : s_(s),
        scratch_(scratch),
        column_(scratch + At::columns + via + threadIdx.x % lanes),
        first_(column),
        lane_(threadIdx.x % lanes) {
#pragma unroll
    for (int e = 0; e < width; ++e) row_[e] = lane_ < width ? column_[e * tile] : T(1);
    next_.begin(row_[0]);
  }
  // Eight pivots, when `left` columns are left. At each, rows move one element to the left, so that
  // the loop need not be unrolled: row_[0] is always in the pivot's column. Rows up to the pivot's
  // take nothing (a multiplier of 0), and what leaves at the left is what is there in the end.
  template <int left>
  __device__ __forceinline__ void some(int first) {
#pragma unroll 1
    for (int k = first; k < first + 8; ++k) {
      const T inverse = __shfl_sync(all, next_.of(row_[0]), k);
      alignas(pack_bytes<T>) T from[left];
#pragma unroll
      for (int e = 0; e < left; ++e) from[e] = __shfl_sync(all, row_[e], k);
      const T times = lane_ > k ? row_[0] * inverse : T(0);
      if (lane_ == k) {
        refused_ = s_.refuses(first_ + k, row_[0]);
        scratch_[At::inverse + k] = inverse;
#pragma unroll
        for (int e = 0; e < left; e += 4) {
          copy_pack<4>(scratch_ + At::upper + k * width + e, row_ + e);
        }
      }
      if (lane_ < width) column_[k * tile] = lane_ > k ? times : row_[0];
      if (lane_ > k && lane_ < width) scratch_[At::lower + k * width + lane_ - k] = times;
      row_[0] = eliminate(row_[1], times, from[1]);
      next_.begin(row_[0]);
#pragma unroll
      for (int e = 2; e < left; ++e) row_[e - 1] = eliminate(row_[e], times, from[e]);
    }
  }

  const System<T>& s_;
  T* scratch_;
  T* column_;
  int first_, lane_;
  bool refused_ = false;
  EarlyReciprocal<T> next_;
  alignas(pack_bytes<T>) T row_[width];
};

// A row below the square (`below`; then `inverse` has the pivots' reciprocals), or a column beside
// it: its elements by each other. triangle[m * width + e] is what element m + e takes of element m.
template <bool below, int width, class T>
__device__ __forceinline__ void close_line(T (&line)[width], const T* triangle, const T* inverse) {
#pragma unroll
  for (int m = 0; m < width; ++m) {
    if constexpr (below) line[m] = line[m] * inverse[m];
#pragma unroll
    for (int e = 0; e + m < width; e += 4) {
      alignas(pack_bytes<T>) T some[4];
      copy_pack<4>(some, triangle + m * width + e);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (e + i > 0 && m + e + i < width) {
          line[m + e + i] = eliminate(line[m + e + i], line[m], some[i]);
        }
      }
    }
  }
}

// Closes tile (k, k). Every thread keeps its elements in registers. In a turn those who have the
// columns and rows of its pivots show them; one warp closes the square on the diagonal; the lines
// below and beside it are closed, a line a thread; and every thread takes its elements' products.
template <class Shape, class T>
class ClosingTile {
 public:
  using At = CloseScratch<T>;
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols, wide = 4;
  static constexpr int width = At::width;
  static_assert(Shape::group_y == wide && Shape::group_x == wide && Shape::threads == 2 * tile);

  // f(h, g, row, column) for each of the thread's squares of 4 x 4 neighbours.
  template <class F>
  __device__ __forceinline__ static void each_square(const F& f) {
    const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x);
#pragma unroll
    for (int h = 0; h < rows; h += wide) {
#pragma unroll
      for (int g = 0; g < cols; g += wide) f(h, g, Shape::row_of(y, h), Shape::col_of(x, g));
    }
  }
  // Own squares of the turn's columns and rows, to scratch or back.
  template <bool to_scratch>
  __device__ __forceinline__ static void exchange(T (&own)[rows][cols], T* scratch, int via) {
    each_square([&](int h, int g, int row, int column) {
      const bool in_columns = column >= via && column < via + width && row >= via;
      const bool in_rows = row >= via && row < via + width && column >= via + width;
      if (in_columns) {
#pragma unroll
        for (int c = 0; c < wide; ++c) {
          T* const place = scratch + At::columns + (column + c - via) * tile + row;
          alignas(pack_bytes<T>) T some[wide];
          if (!to_scratch) copy_pack<wide>(some, place);
#pragma unroll
          for (int r = 0; r < wide; ++r) {
            if (to_scratch) {
              some[r] = own[h + r][g + c];
            } else {
              own[h + r][g + c] = some[r];
            }
          }
          if (to_scratch) copy_pack<wide>(place, some);
        }
      }
      if (in_rows) {
#pragma unroll
        for (int r = 0; r < wide; ++r) {
          T* const place = scratch + At::rows + (row + r - via) * tile + column;
          if (to_scratch) {
            copy_pack<wide>(place, own[h + r] + g);
          } else {
            copy_pack<wide>(own[h + r] + g, place);
          }
        }
      }
    });
  }
  __device__ __forceinline__ static void close_lines(T* scratch, int via) {
    const bool below = threadIdx.x < tile;
    const int at = threadIdx.x % tile;
    if (at < via + width) return;
    T* const place = scratch + (below ? At::columns : At::rows) + at;
    T line[width];
#pragma unroll
    for (int e = 0; e < width; ++e) line[e] = place[e * tile];
    if (below) {
      close_line<true>(line, scratch + At::upper, scratch + At::inverse);
    } else {
      close_line<false>(line, scratch + At::lower, scratch + At::inverse);
    }
#pragma unroll
    for (int e = 0; e < width; ++e) place[e * tile] = line[e];
  }
  __device__ __forceinline__ static void take_products(T (&own)[rows][cols], const T* scratch,
                                                       int via) {
    each_square([&](int h, int g, int row, int column) {
      if (row < via + width || column < via + width) return;
#pragma unroll 8
      for (int m = 0; m < width; ++m) {
        alignas(pack_bytes<T>) T times[wide], from[wide];
        copy_pack<wide>(times, scratch + At::columns + m * tile + row);
        copy_pack<wide>(from, scratch + At::rows + m * tile + column);
#pragma unroll
        for (int r = 0; r < wide; ++r) {
#pragma unroll
          for (int c = 0; c < wide; ++c) {
            own[h + r][g + c] = eliminate(own[h + r][g + c], times[r], from[c]);
          }
        }
      }
    });
  }
};

template <class Shape, class T>
__global__ void __launch_bounds__(Shape::threads) close_kernel(System<T> s, int k) {
  using Closing = ClosingTile<Shape, T>;
  using At = CloseScratch<T>;
  __shared__ alignas(pack_bytes<T>) T scratch[At::size];
  if (s.stopped()) return;
  const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x);
  alignas(pack_bytes<T>) T own[Shape::rows][Shape::cols];
  load_tile<Shape>(own, s, {k, k}, x, y);
#pragma unroll 1
  for (int via = 0; via < panel_tile; via += At::width) {
    Closing::template exchange<true>(own, scratch, via);
    __syncthreads();
    if (threadIdx.x < lanes) ClosingWarp<T>::close(s, scratch, via, k * panel_tile + via);
    __syncthreads();
    if (const int bad = static_cast<int>(scratch[At::bad]); bad < At::width) {
      if (threadIdx.x == 0) *s.bad_pivot = k * panel_tile + via + bad;
      return;
    }
    Closing::close_lines(scratch, via);
    __syncthreads();
    Closing::template exchange<false>(own, scratch, via);
    Closing::take_products(own, scratch, via);
    __syncthreads();
  }
  store_tile<Shape>(own, s, {k, k}, x, y);
}

template <class T>
void launch_close(const System<T>& s, int k, cudaStream_t stream) {
  using Shape = PanelShape<T>;
  close_kernel<Shape><<<1, Shape::threads, 0, stream>>>(s, k);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::gauss
