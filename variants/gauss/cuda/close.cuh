// SPDX-License-Identifier: Apache-2.0
// Native GPU kernel of panel and the steps after it: closing a tile.
#pragma once

#include "variants/gauss/cuda/tiles.cuh"

namespace portcost::gauss {

// What closing leaves for whole_tile besides the tile: L transposed, and the pivots' reciprocals.
struct Beside {
  static constexpr int lower = 0, inverse = panel_tile * panel_tile, size = inverse + panel_tile;
};

// The square of a turn's pivots, in the registers of every thread that has lines to close.
template <int tile, class T>
class Corner {
 public:
  static constexpr int width = close_width<T>, wide = 4;

  // columns[m * tile + e]: its element (e, m). A division takes long, and its branches keep
  // other work from being done meanwhile: so it is done without, if that holds.
  __device__ __forceinline__ explicit Corner(const T* columns) {
    load(columns);
    if (close<true>()) return;
    load(columns);
    close<false>();
  }
  // The first pivot that is refused; width: none. column: the first of them in the matrix.
  __device__ __forceinline__ int first_bad(const System<T>& s, int column) const {
    int bad = width;
#pragma unroll
    for (int m = width - 1; m >= 0; --m) {
      if (s.refuses(column + m, at_[m][m])) bad = m;
    }
    return bad;
  }
  __device__ __forceinline__ void store(T* to, std::uint64_t pitch) const {
#pragma unroll
    for (int r = 0; r < width; ++r) {
#pragma unroll
      for (int c = 0; c < width; c += wide) copy_pack<wide>(to + r * pitch + c, at_[r] + c);
    }
  }
  // A row below the square (`below`), or a column beside it: its elements by each other.
  template <bool below>
  __device__ __forceinline__ void close_line(T (&line)[width]) const {
#pragma unroll
    for (int m = 0; m < width; ++m) {
      if constexpr (below) line[m] *= inverse_[m];
#pragma unroll
      for (int e = m + 1; e < width; ++e) {
        line[e] = eliminate(line[e], line[m], below ? at_[m][e] : at_[e][m]);
      }
    }
  }

 private:
  __device__ __forceinline__ void load(const T* columns) {
#pragma unroll
    for (int m = 0; m < width; ++m) {
#pragma unroll
      for (int e = 0; e < width; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, columns + m * tile + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) at_[e + i][m] = some[i];
      }
    }
  }
  // Whether quick reciprocals hold.
  template <bool quick>
  __device__ __forceinline__ bool close() {
    bool holds = true;
#pragma unroll
    for (int m = 0; m < width; ++m) {
      holds = holds && quick_reciprocal_holds(at_[m][m]);
      inverse_[m] = quick ? quick_reciprocal(at_[m][m]) : reciprocal(at_[m][m]);
#pragma unroll
      for (int r = m + 1; r < width; ++r) {
        at_[r][m] *= inverse_[m];
#pragma unroll
        for (int c = m + 1; c < width; ++c) at_[r][c] = eliminate(at_[r][c], at_[r][m], at_[m][c]);
      }
    }
    return holds;
  }

  alignas(pack_bytes<T>) T at_[width][width];
  T inverse_[width];
};

// Closes tile (k, k). Every thread keeps its elements in registers. In a turn those who have the
// columns and rows of its pivots show them; the lines below and beside the square on the diagonal
// are closed, a line a thread, each of which closes the square first; and every thread takes its
// elements' products. A thread has one square of 4 x 4 neighbours, or two by two.
template <class Shape, class T>
class ClosingTile {
 public:
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols, wide = 4;
  using At = CloseScratch<T, tile>;
  static constexpr int width = At::width;
  static_assert(Shape::group_y == wide && Shape::group_x == wide && Shape::threads >= 2 * tile);
  static_assert(rows == cols && (rows == wide || rows == 2 * wide));

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
  // Own squares of the turn's columns and rows, to scratch.
  __device__ __forceinline__ static void show(const T (&own)[rows][cols], T* turn, int via) {
    each_square([&](int h, int g, int row, int column) {
      if (column >= via && column < via + width && row >= via) {
#pragma unroll
        for (int c = 0; c < wide; ++c) {
          alignas(pack_bytes<T>) T some[wide];
#pragma unroll
          for (int r = 0; r < wide; ++r) some[r] = own[h + r][g + c];
          copy_pack<wide>(turn + At::columns + (column + c - via) * tile + row, some);
        }
      }
      if (row >= via && row < via + width && column >= via + width) {
#pragma unroll
        for (int r = 0; r < wide; ++r) {
          copy_pack<wide>(turn + At::rows + (row + r - via) * tile + column, own[h + r] + g);
        }
      }
    });
  }
  // Line `at` of the turn's columns (`below`) or of its rows, in scratch and in the matrix. The
  // last line, which is open in every turn, leaves what all of them know of the square.
  template <bool below>
  __device__ __forceinline__ static void close_line(const System<T>& s, T* turn, int k, int via,
                                                    int at) {
    const bool open = at >= via + width, last = at == tile - 1;
    if (!open && !last) return;
    const Corner<tile, T> corner(turn + At::columns + via);
    T* const first = s.row(k * tile + via) + k * tile;  // the turn's first row in the tile
    if (open) {
      T* const place = turn + (below ? At::columns : At::rows) + at;
      alignas(pack_bytes<T>) T line[width];
#pragma unroll
      for (int e = 0; e < width; ++e) line[e] = place[e * tile];
      corner.template close_line<below>(line);
#pragma unroll
      for (int e = 0; e < width; ++e) place[e * tile] = line[e];
      if constexpr (below) {
#pragma unroll
        for (int e = 0; e < width; e += wide) {
          copy_pack<wide>(s.row(k * tile + at) + k * tile + via + e, line + e);
        }
      } else {
#pragma unroll
        for (int e = 0; e < width; ++e) first[s.offset(e) + at] = line[e];
      }
    }
    if (!last) return;
    if constexpr (below) {
      turn[At::bad] = static_cast<T>(corner.first_bad(s, k * tile + via));
    } else {
      corner.store(first + via, s.offset(1));
    }
  }
  // A line a thread.
  __device__ __forceinline__ static void close_lines(const System<T>& s, T* turn, int k, int via,
                                                     int thread) {
    if (thread < tile) {
      close_line<true>(s, turn, k, via, thread);
    } else if (Shape::threads == 2 * tile || thread < 2 * tile) {
      close_line<false>(s, turn, k, via, thread - tile);
    }
  }
  // Squares from (h, g) on, which are all that are left.
  template <int h, int g>
  __device__ __forceinline__ static void take(T (&own)[rows][cols], const T* columns,
                                              const T* across) {
#pragma unroll
    for (int m = 0; m < width; ++m) {
      alignas(pack_bytes<T>) T times[rows], from[cols];
#pragma unroll
      for (int r = h; r < rows; r += wide) {
        copy_pack<wide>(times + r, columns + m * tile + Shape::row_of(0, r));
      }
#pragma unroll
      for (int c = g; c < cols; c += wide) {
        copy_pack<wide>(from + c, across + m * tile + Shape::col_of(0, c));
      }
#pragma unroll
      for (int r = h; r < rows; ++r) {
#pragma unroll
        for (int c = g; c < cols; ++c) own[r][c] = eliminate(own[r][c], times[r], from[c]);
      }
    }
  }
  // A warp takes what is left of all its threads' squares: closed lines, too, at which nobody looks
  // again, so that its threads do not part.
  __device__ __forceinline__ static void take_products(T (&own)[rows][cols], const T* turn,
                                                       int via) {
    const int last = static_cast<int>(threadIdx.x) | (lanes - 1), end = via + width;
    const int low = Shape::row_of(Shape::y_of(last), 0) + wide;
    const int right = Shape::col_of(Shape::x_of(last), 0) + wide;
    const T* const columns = turn + At::columns + Shape::row_of(Shape::y_of(threadIdx.x), 0);
    const T* const across = turn + At::rows + Shape::col_of(Shape::x_of(threadIdx.x), 0);
    if constexpr (rows == wide) {
      if (low > end && right > end) take<0, 0>(own, columns, across);
    } else {
      if (low + Shape::row_of(0, wide) <= end || right + Shape::col_of(0, wide) <= end) return;
      if (low > end && right > end) {
        take<0, 0>(own, columns, across);
      } else if (low > end) {
        take<0, wide>(own, columns, across);
      } else if (right > end) {
        take<wide, 0>(own, columns, across);
      } else {
        take<wide, wide>(own, columns, across);
      }
    }
  }
};

// Closes tile (k, k). `takes`: first it takes the products over `before` from it, if any.
template <class Shape, bool takes, class T>
__global__ void __launch_bounds__(Shape::threads, 1)
    close_kernel(System<T> s, int k, [[maybe_unused]] Columns before) {
  using Closing = ClosingTile<Shape, T>;
  using At = typename Closing::At;
  constexpr int size = takes && Shape::scratch > At::size ? Shape::scratch : At::size;
  __shared__ alignas(pack_bytes<T>) T scratch[size];
  if (s.stopped()) return;
  const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x);
  alignas(pack_bytes<T>) T own[Shape::rows][Shape::cols];
  if (takes && before.end > before.first) {
    load_less_products<Shape>(own, s, {k, k}, x, y, before, scratch);
  } else {
    load_tile<Shape>(own, s, {k, k}, x, y);
  }
#pragma unroll 1
  for (int via = 0; via < Shape::tile; via += At::width) {
    T* const turn = scratch + At::of(via);
    Closing::show(own, turn, via);
    __syncthreads();
    Closing::close_lines(s, turn, k, via, static_cast<int>(threadIdx.x));
    __syncthreads();
    if (const int bad = static_cast<int>(turn[At::bad]); bad < At::width) {
      if (threadIdx.x == 0) *s.bad_pivot = k * Shape::tile + via + bad;
      return;
    }
    Closing::take_products(own, turn, via);
  }
}

template <class T>
void launch_close(const System<T>& s, int k, cudaStream_t stream) {
  using Shape = PanelShape<T>;
  close_kernel<Shape, false><<<1, Shape::threads, 0, stream>>>(s, k, Columns{});
  cuda_check(cudaGetLastError());
}
// Of narrow_tiles. before: the columns of the round before, or none.
template <class T>
void launch_close_narrow(const System<T>& s, int k, Columns before, cudaStream_t stream) {
  close_kernel<NarrowShape, true><<<1, NarrowShape::threads, 0, stream>>>(s, k, before);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::gauss
