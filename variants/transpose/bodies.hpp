// SPDX-License-Identifier: Apache-2.0
// What CUDA's kernels and the tuned kernels do alike with elements in registers. An item is a
// thread of a block, or an item of a range.
#pragma once

#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

/// copy to diagonal, and in_place: loads the elements of item (x, y) of the tile at row i0 and
/// column j0 of a matrix of rows by columns, or stores them. Elements past the end keep their
/// initial 0.
template <class T>
PORTCOST_HOST_DEVICE void load(T (&own)[rows_a_thread], const T* from, int x, int y, int i0, int j0,
                               int rows, int columns) {
  const int j = j0 + x;
#pragma unroll
  for (int r = 0; r < rows_a_thread; ++r) {
    const int i = i0 + y + r * tile_warps;
    if (i < rows && j < columns) own[r] = from[times(i, columns) + static_cast<std::uint32_t>(j)];
  }
}
template <class T>
PORTCOST_HOST_DEVICE void store(const T (&own)[rows_a_thread], T* to, int x, int y, int i0, int j0,
                                int rows, int columns) {
  const int j = j0 + x;
#pragma unroll
  for (int r = 0; r < rows_a_thread; ++r) {
    const int i = i0 + y + r * tile_warps;
    if (i < rows && j < columns) to[times(i, columns) + static_cast<std::uint32_t>(j)] = own[r];
  }
}
/// Stores an item's elements of rows to a tile in scratch; loads its elements of columns, which are
/// rows of the transposed tile.
template <int pitch, class T>
PORTCOST_HOST_DEVICE void put_rows(T* scratch, const T (&own)[rows_a_thread], int x, int y) {
#pragma unroll
  for (int r = 0; r < rows_a_thread; ++r) scratch[(y + r * tile_warps) * pitch + x] = own[r];
}
template <int pitch, class T>
PORTCOST_HOST_DEVICE void get_columns(T (&own)[rows_a_thread], const T* scratch, int x, int y) {
#pragma unroll
  for (int r = 0; r < rows_a_thread; ++r) own[r] = scratch[x * pitch + y + r * tile_warps];
}

/// wide: loads an item's square blocks, 16 bytes at a time, and stores their columns to scratch.
template <class T>
PORTCOST_HOST_DEVICE void load_packs(const Places<T>& s, T* scratch, int item, int m, int i0,
                                     int j0) {
  using Shape = WideShape<T>;
  constexpr int pack = Shape::pack;
  alignas(16) T own[Shape::blocks][pack][pack] = {};
#pragma unroll
  for (int k = 0; k < Shape::blocks; ++k) {
    const int block = item + k * Shape::threads;
    const int i = i0 + block / Shape::packs * pack, j = j0 + block % Shape::packs * pack;
#pragma unroll
    for (int r = 0; r < pack; ++r) {
      if (i < s.ny && j < s.nx) copy_pack<pack>(own[k][r], s.row_of_a(m, i + r) + j);
    }
  }
#pragma unroll
  for (int k = 0; k < Shape::blocks; ++k) {
    const int block = item + k * Shape::threads;
    const int i = block / Shape::packs * pack, j = block % Shape::packs * pack;
#pragma unroll
    for (int c = 0; c < pack; ++c) {
      alignas(16) T column[pack];
#pragma unroll
      for (int r = 0; r < pack; ++r) column[r] = own[k][r][c];
      copy_pack<pack>(scratch + Shape::place(j + c, i), column);
    }
  }
}
template <class T>
PORTCOST_HOST_DEVICE void store_packs(const Places<T>& s, const T* scratch, int item, int m, int i0,
                                      int j0) {
  using Shape = WideShape<T>;
  constexpr int pack = Shape::pack;
#pragma unroll
  for (int k = 0; k < Shape::rows; ++k) {
    const int at = item + k * Shape::threads;
    const int row = at / Shape::packs, column = at % Shape::packs * pack;
    if (j0 + row < s.nx && i0 + column < s.ny) {
      copy_pack<pack>(s.row_of_b(m, j0 + row) + i0 + column, scratch + Shape::place(row, column));
    }
  }
}

/// whole_matrices: loads an item's elements of a chunk of `count` elements to scratch, or stores
/// the elements of the transposed chunk.
template <class T>
PORTCOST_HOST_DEVICE void load_chunk(const SmallMatrices<T>& small, T* scratch, const T* from,
                                     int item, int count) {
  using Small = SmallMatrices<T>;
  T own[Small::own] = {};
#pragma unroll
  for (int k = 0; k < Small::own; ++k) {
    const int at = item + k * Small::threads;
    if (at < count) own[k] = from[at];
  }
#pragma unroll
  for (int k = 0; k < Small::own; ++k) {
    const int at = item + k * Small::threads;
    if (at >= count) break;
    scratch[small.place(at)] = own[k];
  }
}
template <class T>
PORTCOST_HOST_DEVICE void store_chunk(const SmallMatrices<T>& small, T* to, const T* scratch,
                                      int item, int count) {
  using Small = SmallMatrices<T>;
#pragma unroll
  for (int k = 0; k < Small::own; ++k) {
    const int at = item + k * Small::threads;
    if (at >= count) break;
    to[at] = scratch[small.source(at)];
  }
}

/// Transposes the whole square at row i and column j of A, 16 bytes at a time.
template <class T>
PORTCOST_HOST_DEVICE void transpose_square(const Places<T>& s, int m, int i, int j) {
  constexpr int pack = SquareShape<T>::pack;
  alignas(16) T own[pack][pack];
#pragma unroll
  for (int r = 0; r < pack; ++r) copy_pack<pack>(own[r], s.row_of_a(m, i + r) + j);
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    alignas(16) T column[pack];
#pragma unroll
    for (int r = 0; r < pack; ++r) column[r] = own[r][c];
    copy_pack<pack>(s.row_of_b(m, j + c) + i, column);
  }
}

/// Transposes an item's elements inside the matrix: loads all, then stores.
template <class T>
PORTCOST_HOST_DEVICE void transpose_elements(const Places<T>& s, int m, int i, int j) {
  using Shape = SquareShape<T, 1>;
  T own[Shape::items] = {};
#pragma unroll
  for (int k = 0; k < Shape::items; ++k) {
    const int row = i + k * Shape::stretch;
    if (row < s.ny) own[k] = s.row_of_a(m, row)[j];
  }
  T* const to = s.row_of_b(m, j);
#pragma unroll
  for (int k = 0; k < Shape::items; ++k) {
    const int row = i + k * Shape::stretch;
    if (row < s.ny) to[row] = own[k];
  }
}

/// Exchanges the square at row i and column j with the square on the other side of the diagonal; a
/// square on the diagonal is its own partner. All loads precede the first store.
template <class T>
PORTCOST_HOST_DEVICE void exchange_squares(T* a, int n, int i, int j) {
  constexpr int pack = SquareShape<T>::pack;
  alignas(16) T upper[pack][pack], lower[pack][pack];
#pragma unroll
  for (int r = 0; r < pack; ++r) copy_pack<pack>(upper[r], a + times(i + r, n) + j);
#pragma unroll
  for (int r = 0; r < pack; ++r) copy_pack<pack>(lower[r], a + times(j + r, n) + i);
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    alignas(16) T of_upper[pack], of_lower[pack];
#pragma unroll
    for (int r = 0; r < pack; ++r) {
      of_upper[r] = upper[r][c];
      of_lower[r] = lower[r][c];
    }
    copy_pack<pack>(a + times(j + c, n) + i, of_upper);
    copy_pack<pack>(a + times(i + c, n) + j, of_lower);
  }
}
/// The same for an item's elements above the diagonal.
template <class T>
PORTCOST_HOST_DEVICE void exchange_elements(T* a, int n, int i, int j) {
  using Shape = SquareShape<T, 1>;
  T upper[Shape::items] = {}, lower[Shape::items] = {};
#pragma unroll
  for (int k = 0; k < Shape::items; ++k) {
    const int row = i + k * Shape::stretch;
    if (row >= j) break;
    upper[k] = a[times(row, n) + j];
    lower[k] = a[times(j, n) + row];
  }
#pragma unroll
  for (int k = 0; k < Shape::items; ++k) {
    const int row = i + k * Shape::stretch;
    if (row >= j) break;
    a[times(j, n) + row] = upper[k];
    a[times(row, n) + j] = lower[k];
  }
}

/// Loads an item's elements of rows of A from i0 - most on to scratch, except rows outside the
/// matrix or past the tile.
template <template <class> class At, class T>
PORTCOST_HOST_DEVICE void load_rows(const At<T>& s, T* scratch, int warp, int lane, int m, int i0,
                                    int most, int end, int j0) {
  using Shape = SectorShape<T>;
  const int j = j0 + lane;
  T own[Shape::rows][Shape::columns] = {};
  auto from = s.rows_of_a(m, i0 + warp, most, j, Shape::warps);
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r, from.next()) {
    const bool in_a = in(i0 - most + warp + r * Shape::warps, end);
#pragma unroll
    for (int c = 0; c < Shape::columns; ++c) {
      if (in_a && j + c * lanes < s.nx) own[r][c] = from.row[c * lanes];
    }
  }
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int row = warp + r * Shape::warps;
    if (row >= Shape::all_rows) break;
#pragma unroll
    for (int c = 0; c < Shape::columns; ++c) {
      scratch[(lane + c * lanes) * Shape::pitch + row] = own[r][c];
    }
  }
}
/// Stores a piece of each row of B that begins `past` elements before the tile does.
template <template <class> class At, class T>
PORTCOST_HOST_DEVICE void store_sectors(const At<T>& s, const T* scratch, int warp, int lane, int m,
                                        int i0, int most, int j0) {
  using Shape = SectorShape<T>;
  auto to = s.rows_of_b(m, j0 + warp, Shape::warps);
#pragma unroll
  for (int r = 0; r < Shape::tile / Shape::warps; ++r, to.next()) {
    const int row = warp + r * Shape::warps;
    if (j0 + row >= s.nx) break;
    const int column = most - Shape::past(to.row) + lane, i = i0 - most + column;
    const T* const from = scratch + (row * Shape::pitch + column);
    T* const at = to.row + i;
#pragma unroll
    for (int c = 0; c < Shape::columns; ++c) {
      if (in(i + c * lanes, s.ny)) at[c * lanes] = from[c * lanes];
    }
  }
}

}  // namespace portcost::transpose
