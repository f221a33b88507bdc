// SPDX-License-Identifier: Apache-2.0
// Tuned portable kernels of registers and in_place_registers: ranges over the threads of all tiles.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "variants/transpose/kokkos/blocks.hpp"

namespace portcost::transpose {

// Whole squares, or elements.
template <bool whole, class T>
struct Squares {
  using Shape = std::conditional_t<whole, SquareShape<T>, SquareShape<T, 1>>;
  Places<T> s;
  TileGrids tiles;

  KOKKOS_FUNCTION void operator()(int index) const {
    const auto at = tiles.at(index / Shape::threads);
    const int thread = index % Shape::threads;
    const int i = at.line * Shape::tile_rows + Shape::row(thread);
    const int j = at.column * Shape::tile_columns + Shape::column(thread);
    if (i >= s.ny || j >= s.nx) return;
    if constexpr (whole) {
      transpose_square(s, at.matrix, i, j);
    } else {
      transpose_elements(s, at.matrix, i, j);
    }
  }
};

// The same in place.
template <bool whole, class T>
struct SquaresInPlace {
  using Shape = std::conditional_t<whole, SquareShape<T>, SquareShape<T, 1>>;
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
      exchange_squares(a, n, i, j);
    } else {
      exchange_elements(a, n, i, j);
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
