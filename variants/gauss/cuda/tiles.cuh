// SPDX-License-Identifier: Apache-2.0
// Native GPU kernels of panel and look_ahead: closing a tile, solving for the tiles of its cross,
// and products for all others. Threads have elements in registers; what others need lies in
// scratch.
#pragma once

#include "variants/cuda_tiles.cuh"
#include "variants/gauss/problem.hpp"

namespace portcost::gauss {

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

// Closes tile (k, k). Every thread keeps its elements in registers; for each column in turn those
// who have its pivot's row show it, those who have the column divide it and show it, and all take
// their products. The row is shown in one of two places in turns, because others may still read
// the one before. Where a row or column is done, what is shown of it is 0, which changes nothing.
template <class Shape, class T>
__global__ void __launch_bounds__(Shape::threads) close_kernel(System<T> s, int k) {
  constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols;
  constexpr int high = Shape::group_y, wide = Shape::group_x;
  static_assert(high == wide);
  __shared__ alignas(pack_bytes<T>) T shown[2][tile], column[tile];
  __shared__ T pivots[2];
  if (s.stopped()) return;
  const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x);
  T own[rows][cols];
  load_tile<Shape>(own, s, {k, k}, x, y);
  for (int some = 0; some < tile; some += high) {
#pragma unroll
    for (int e = 0; e < high; ++e) {
      const int via = some + e;
      T* const row = shown[e & 1];
#pragma unroll
      for (int r = e; r < rows; r += high) {
        if (Shape::row_of(y, r) != via) continue;
#pragma unroll
        for (int c = 0; c < cols; ++c) {
          const int at = Shape::col_of(x, c);
          row[at] = at > via ? own[r][c] : T(0);
          if (at == via) pivots[e & 1] = own[r][c];
        }
      }
      __syncthreads();
      const T pivot = pivots[e & 1];
      if (s.refuses(pivot)) {
        if (threadIdx.x == 0) *s.bad_pivot = k * tile + via;
        return;
      }
#pragma unroll
      for (int c = e; c < cols; c += wide) {
        if (Shape::col_of(x, c) != via) continue;
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          const int at = Shape::row_of(y, r);
          if (at > via) own[r][c] = multiplier(own[r][c], pivot);
          column[at] = at > via ? own[r][c] : T(0);
        }
      }
      __syncthreads();
      alignas(pack_bytes<T>) T from[cols];
#pragma unroll
      for (int c = 0; c < cols; c += wide) copy_pack<wide>(from + c, row + Shape::col_of(x, c));
#pragma unroll
      for (int group = 0; group < rows; group += high) {
        if (Shape::row_of(y, group + high - 1) <= via) continue;
        alignas(pack_bytes<T>) T times[high];
        copy_pack<high>(times, column + Shape::row_of(y, group));
#pragma unroll
        for (int r = 0; r < high; ++r) {
#pragma unroll
          for (int c = 0; c < cols; ++c) {
            own[group + r][c] = eliminate(own[group + r][c], times[r], from[c]);
          }
        }
      }
    }
  }
  store_tile<Shape>(own, s, {k, k}, x, y);
}

// A chunk of a line of the cross, in registers.
template <class T>
class Line {
 public:
  static constexpr int chunk = solve_chunk, wide = 4;

  // Less an element of the line that is known already; shown: what each takes of it.
  __device__ __forceinline__ void take(T known, const T* shown) {
#pragma unroll
    for (int e = 0; e < chunk; e += wide) {
      alignas(pack_bytes<T>) T some[wide];
      copy_pack<wide>(some, shown + e);
#pragma unroll
      for (int w = 0; w < wide; ++w) at[e + w] = eliminate(at[e + w], known, some[w]);
    }
  }
  // Its own elements by each other. `divides`: by the pivots, too.
  template <bool divides>
  __device__ __forceinline__ void close(const T* shown) {
#pragma unroll
    for (int m = 0; m < chunk; ++m) {
      if constexpr (divides) at[m] = multiplier(at[m], shown[m * solve_pitch + m]);
#pragma unroll
      for (int e = m + 1; e < chunk; ++e) {
        at[e] = eliminate(at[e], at[m], shown[m * solve_pitch + e]);
      }
    }
  }

  alignas(pack_bytes<T>) T at[chunk];
};

// The cross of tile (k, k), a tile a block and a line of it a thread: a column of a tile beside it,
// a row of one below it. The coefficients that a chunk needs of the closed tile lie in scratch, a
// row for each element that is known already: shown[m][e] is what element begin + e takes of m.
template <class T>
__global__ void __launch_bounds__(panel_tile, 1) solve_kernel(System<T> s, Region region, int k) {
  constexpr int tile = panel_tile, chunk = solve_chunk, wide = Line<T>::wide;
  __shared__ alignas(pack_bytes<T>) T shown[solve_scratch];
  if (s.stopped()) return;
  const Tile at = region.at(blockIdx.x);
  const bool beside = at.row == k;
  const int first = k * tile, item = threadIdx.x;
  Line<T> line;
  for (int begin = 0; begin < tile; begin += chunk) {
    if (begin > 0) __syncthreads();
    for (int index = item; index < (begin + chunk) * chunk; index += tile) {
      const int part = index % chunk, rest = index / chunk;
      if (beside) {
        const int m = rest / chunk * chunk + part, e = rest % chunk;
        shown[m * solve_pitch + e] = s.row(first + begin + e)[first + m];
      } else {
        shown[rest * solve_pitch + part] = s.row(first + rest)[first + begin + part];
      }
    }
    __syncthreads();
    const T* const last = shown + begin * solve_pitch;
    if (beside) {
      T* const column = s.row(first) + at.col * tile + item;
#pragma unroll
      for (int e = 0; e < chunk; ++e) line.at[e] = column[s.offset(begin + e)];
#pragma unroll 4
      for (int m = 0; m < begin; ++m) line.take(column[s.offset(m)], shown + m * solve_pitch);
      line.template close<false>(last);
#pragma unroll
      for (int e = 0; e < chunk; ++e) column[s.offset(begin + e)] = line.at[e];
    } else {
      T* const row = s.row(at.row * tile + item) + first;
#pragma unroll
      for (int e = 0; e < chunk; e += wide) copy_pack<wide>(line.at + e, row + begin + e);
      for (int m = 0; m < begin; m += wide) {
        alignas(pack_bytes<T>) T known[wide];
        copy_pack<wide>(known, row + m);
#pragma unroll
        for (int w = 0; w < wide; ++w) line.take(known[w], shown + (m + w) * solve_pitch);
      }
      line.template close<true>(last);
#pragma unroll
      for (int e = 0; e < chunk; e += wide) copy_pack<wide>(row + begin + e, line.at + e);
    }
  }
}

// A thread's elements over the columns of one slice. Two a trip: in longer ones nvcc has too few
// registers in f32.
template <class Shape, class T>
__device__ __forceinline__ void take_slice(T (&own)[Shape::rows][Shape::cols], int x, int y,
                                           const T* left, const T* right) {
  for_slice<Shape, 2>(x, y, left, right, [&](int, const T* times, const T* from) {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
      for (int c = 0; c < Shape::cols; ++c) own[r][c] = eliminate(own[r][c], times[r], from[c]);
    }
  });
}

// The tiles of a region less the products over its columns, a tile a block.
template <class Shape, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams)
    product_kernel(System<T> s, Region region) {
  __shared__ alignas(pack_bytes<T>) T scratch[Shape::scratch];
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

template <class T>
void launch_close(const System<T>& s, int k, cudaStream_t stream) {
  using Shape = PanelShape<T>;
  close_kernel<Shape><<<1, Shape::threads, 0, stream>>>(s, k);
  cuda_check(cudaGetLastError());
}
template <class T>
void launch_solve(const System<T>& s, int k, const Region& region, cudaStream_t stream) {
  if (region.count() == 0) return;
  solve_kernel<<<static_cast<unsigned>(region.count()), panel_tile, 0, stream>>>(s, region, k);
  cuda_check(cudaGetLastError());
}
template <class Shape, class T>
void launch_product(const System<T>& s, const Region& region, cudaStream_t stream) {
  if (region.count() == 0) return;
  product_kernel<Shape>
      <<<static_cast<unsigned>(region.count()), Shape::threads, 0, stream>>>(s, region);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::gauss
