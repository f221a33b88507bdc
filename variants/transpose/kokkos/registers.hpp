// SPDX-License-Identifier: Apache-2.0
// Portable kernel of registers: a range over the threads of all tiles.
#pragma once

#include <cstdint>
#include <limits>

#include "variants/kokkos_team.hpp"
#include "variants/transpose/kokkos/grids.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

template <bool whole, class T, Way way>
struct Squares {
  using Shape = SquareShape<T>;
  static constexpr int pack = Shape::pack;
  Places<T> s;
  TileGrids<way> tiles;

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

  // The square from row i and column j of A on: whole, 16 bytes at a time.
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
  // The same element by element, as far as the matrix goes.
  KOKKOS_FUNCTION void elements(int m, int i, int j) const {
    T own[pack][pack] = {};
#pragma unroll
    for (int r = 0; r < pack; ++r) {
#pragma unroll
      for (int c = 0; c < pack; ++c) {
        if (i + r < s.ny && j + c < s.nx) own[r][c] = s.row_of_a(m, i + r)[j + c];
      }
    }
#pragma unroll
    for (int c = 0; c < pack; ++c) {
#pragma unroll
      for (int r = 0; r < pack; ++r) {
        if (i + r < s.ny && j + c < s.nx) s.row_of_b(m, j + c)[i + r] = own[r][c];
      }
    }
  }
};

template <bool whole, Way way, class T>
void launch_squares(const Matrices<T>& s, const Stream& stream) {
  using Shape = SquareShape<T>;
  using Policy = Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<int>>;
  const int columns = ceil_div(s.nx, int{Shape::tile_columns}),
            lines = ceil_div(s.ny, int{Shape::tile_rows});
  const std::int64_t threads = std::int64_t{columns} * lines * s.batch * Shape::threads;
  require(threads <= std::numeric_limits<int>::max(), "more threads than a range in int counts");
  Kokkos::parallel_for("portcost::transpose::registers",
                       Policy(kokkos_space(stream), 0, static_cast<int>(threads)),
                       Squares<whole, T, way>{s, TileGrids<way>(columns, lines)});
}

}  // namespace portcost::transpose
