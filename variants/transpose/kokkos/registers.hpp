// SPDX-License-Identifier: Apache-2.0
// Tuned portable kernels of registers and in_place_registers: ranges over the threads of all tiles.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "variants/shared/kokkos_team.hpp"
#include "variants/transpose/kokkos/grids.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

// Whole squares, or elements.
template <bool whole, class T>
struct Squares {
  using Shape = std::conditional_t<whole, SquareShape<T>, SquareShape<T, 1>>;
  static constexpr int pack = Shape::pack;
  Places<T> s;
  TileGrids tiles;

  KOKKOS_FUNCTION void operator()(int index) const {
    const auto at = tiles.at(index / Shape::threads);
    const int thread = index % Shape::threads;
    const int i = at.line * Shape::tile_rows + Shape::row(thread);
    const int j = at.column * Shape::tile_columns + Shape::column(thread);
    if (i >= s.ny || j >= s.nx) return;
    if constexpr (whole) {
      square(at.matrix, i, j);
    } else {
      elements(at.matrix, i, j);
    }
  }

  // Transposes a thread's elements inside the matrix: loads all, then stores.
  KOKKOS_FUNCTION void elements(int m, int i, int j) const {
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

  // Transposes the square at row i and column j of A, 16 bytes at a time.
  KOKKOS_FUNCTION void square(int m, int i, int j) const {
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
};

// The same in place.
template <bool whole, class T>
struct SquaresInPlace {
  using Shape = std::conditional_t<whole, SquareShape<T>, SquareShape<T, 1>>;
  static constexpr int pack = Shape::pack;
  Places<T> s;
  TileGrids parts;  // of tiles, on and above the diagonal

  KOKKOS_FUNCTION void operator()(int index) const {
    const auto in_grid = parts.at(index / Shape::threads);
    const int thread = index % Shape::threads, n = s.nx;
    const Tile at = Shape::pairs(n).at(in_grid.column / Shape::parts, in_grid.line);
    const int i = at.row * Shape::tile_rows + Shape::row(thread);
    const int j = at.col * Shape::tile_rows + in_grid.column % Shape::parts * Shape::tile_columns +
                  Shape::column(thread);
    if (i > j || j >= n) return;
    T* const a = s.row_of_a(in_grid.matrix, 0);
    if constexpr (whole) {
      squares(a, n, i, j);
    } else {
      elements(a, n, i, j);
    }
  }

  // Exchanges the square at row i and column j with the square on the other side of the diagonal; a
  // square on the diagonal is its own partner. All loads precede the first store.
  KOKKOS_FUNCTION static void squares(T* a, int n, int i, int j) {
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
  // The same for a thread's elements above the diagonal.
  KOKKOS_FUNCTION static void elements(T* a, int n, int i, int j) {
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
};

// Launches a kernel on the threads of a grid of `columns` by `lines` tiles a matrix.
template <class Kernel, class T>
void launch_squares(const char* label, const Matrices<T>& s, const Stream& stream, int columns,
                    int lines) {
  using Policy = Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<int>>;
  const std::int64_t threads = std::int64_t{columns} * lines * s.batch * Kernel::Shape::threads;
  require(threads <= std::numeric_limits<int>::max(), "more threads than a range in int counts");
  Kokkos::parallel_for(label, Policy(kokkos_space(stream), 0, static_cast<int>(threads)),
                       Kernel{s, TileGrids(columns, lines)});
}

template <bool whole, class T>
void registers(const Matrices<T>& s, const Stream& stream) {
  using Kernel = Squares<whole, T>;
  using Shape = typename Kernel::Shape;
  launch_squares<Kernel>("portcost::transpose::registers", s, stream,
                         ceil_div(s.nx, int{Shape::tile_columns}),
                         ceil_div(s.ny, int{Shape::tile_rows}));
}
template <bool whole, class T>
void in_place_registers(const Matrices<T>& s, const Stream& stream) {
  using Kernel = SquaresInPlace<whole, T>;
  using Shape = typename Kernel::Shape;
  const PairGrid pairs = Shape::pairs(s.nx);
  launch_squares<Kernel>("portcost::transpose::in_place_registers", s, stream,
                         Shape::parts * pairs.columns(), pairs.lines());
  *s.answer = s.a;
}

}  // namespace portcost::transpose
