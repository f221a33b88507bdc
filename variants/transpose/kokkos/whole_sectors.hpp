// SPDX-License-Identifier: Apache-2.0
// Portable kernel of whole_sectors, for whole matrices (Places) and for blocks of them.
#pragma once

#include "variants/kokkos_team.hpp"
#include "variants/transpose/kokkos/grids.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

template <template <class> class At, class T, Way way>
struct WholeSectorsOf {
  using Shape = SectorShape<T>;
  using On = Teams<way, Shape::warps>;
  using Index = typename On::Index;
  static constexpr int scratch() { return scratch_bytes<T>(Shape::elements); }
  /// Four teams: with five, as its registers allow in f64, a small matrix takes longer
  /// (README.md). Launches over processes do not take it.
  static constexpr int occupancy = 50;
  At<T> s;
  TileGrids<way> tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const auto in_grid = tiles.at(team.league_rank());
    const Tile at = Shape::Order::at(in_grid.column, in_grid.line);
    const int most = Shape::most_past(s.step_b()), j0 = at.col * Shape::tile;
    const int i0 = at.row * Shape::tile - most;
    T* const scratch = On::template scratch_unchecked<T>(team, Shape::elements);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Shape::threads}), [&](Index item) {
      load_rows(scratch, On::of_team(team, static_cast<int>(item)), in_grid.matrix, i0,
                compat::min(s.ny, i0 + most + Shape::tile), j0);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Shape::threads}), [&](Index item) {
      store_sectors(scratch, On::of_team(team, static_cast<int>(item)), in_grid.matrix, i0, most,
                    j0);
    });
  }

  // Rows of A from i0 on, of which those outside the matrix or past the tile are left out.
  KOKKOS_FUNCTION void load_rows(T* scratch, int item, int m, int i0, int end, int j0) const {
    const int lane = item % lanes, warp = item / lanes;
    T own[Shape::rows][Shape::columns] = {};
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
      const int i = i0 + warp + r * Shape::warps;
#pragma unroll
      for (int c = 0; c < Shape::columns; ++c) {
        const int j = j0 + lane + c * lanes;
        if (i >= 0 && i < end && j < s.nx) own[r][c] = s.row_of_a(m, i)[j];
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

  // Of each row of B a stretch that begins `past` elements before the tile does.
  KOKKOS_FUNCTION void store_sectors(const T* scratch, int item, int m, int i0, int most,
                                     int j0) const {
    const int lane = item % lanes, warp = item / lanes;
#pragma unroll
    for (int r = 0; r < Shape::tile / Shape::warps; ++r) {
      const int row = warp + r * Shape::warps;
      if (j0 + row >= s.nx) break;
      T* const to = s.row_of_b(m, j0 + row);
      const int first = most - Shape::past(to) + lane;
#pragma unroll
      for (int c = 0; c < Shape::columns; ++c) {
        const int column = first + c * lanes, i = i0 + column;
        if (i >= 0 && i < s.ny) to[i] = scratch[row * Shape::pitch + column];
      }
    }
  }
};
template <class T, Way way>
using WholeSectors = WholeSectorsOf<Places, T, way>;

}  // namespace portcost::transpose
