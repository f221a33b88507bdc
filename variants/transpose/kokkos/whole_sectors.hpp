// SPDX-License-Identifier: Apache-2.0
// Tuned portable kernel of whole_sectors, for whole matrices (Places) and for their blocks.
#pragma once

#include "variants/shared/kokkos_team.hpp"
#include "variants/transpose/kokkos/grids.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

template <template <class> class At, class Grid, class T>
struct WholeSectorsOf {
  using Shape = SectorShape<T>;
  /// f64 requests four teams, so that the compiler gives all loads registers: otherwise it saves
  /// registers by stores to scratch between the loads, which leaves fewer loads in flight.
  using On = Teams<Shape::warps, (sizeof(T) > 4 ? 4 : 0)>;
  using Index = typename On::Index;
  static constexpr int scratch() { return scratch_bytes<T>(Shape::elements); }
  /// In percent of a multiprocessor's 2048 threads; 0: no request.
  static constexpr int occupancy = 100 * Shape::at_a_time * Shape::threads / 2048;
  At<T> s;
  Grid tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const auto in_grid = tiles.at(team.league_rank());
    const Tile at = TileOrder<At<T>::down>::at(in_grid.column, in_grid.line);
    const int most = Shape::most_past(s.step_b());
    const int i0 = at.row * Shape::tile, j0 = at.col * Shape::tile;
    T* const scratch = On::template scratch_unchecked<T>(team, Shape::elements);
    for_all(team, [&](int warp, int lane) {
      T own[Shape::rows][Shape::columns] = {};
      load_rows(own, warp, lane, in_grid.matrix, i0, most, compat::min(s.ny, i0 + Shape::tile), j0);
      put_rows(own, scratch, warp, lane);
    });
    team.team_barrier();
    for_all(team, [&](int warp, int lane) {
      store_sectors(scratch, warp, lane, in_grid.matrix, i0, most, j0);
    });
  }

  template <class F>
  KOKKOS_FUNCTION static void for_all(const typename On::Member& team, const F& f) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{Shape::warps}), [&](Index warp) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, Index{lanes}),
                           [&](Index lane) { f(static_cast<int>(warp), static_cast<int>(lane)); });
    });
  }

  // Loads rows of A from i0 - most on, except rows outside the matrix or past the tile.
  KOKKOS_FUNCTION void load_rows(T (&own)[Shape::rows][Shape::columns], int warp, int lane, int m,
                                 int i0, int most, int end, int j0) const {
    const int j = j0 + lane;
    auto from = s.rows_of_a(m, i0 + warp, most, j, Shape::warps);
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r, from.next()) {
      const bool in_a = in(i0 - most + warp + r * Shape::warps, end);
#pragma unroll
      for (int c = 0; c < Shape::columns; ++c) {
        if (in_a && j + c * lanes < s.nx) own[r][c] = from.row[c * lanes];
      }
    }
  }
  KOKKOS_FUNCTION static void put_rows(const T (&own)[Shape::rows][Shape::columns], T* scratch,
                                       int warp, int lane) {
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

  // Stores a piece of each row of B that begins `past` elements before the tile does.
  KOKKOS_FUNCTION void store_sectors(const T* scratch, int warp, int lane, int m, int i0, int most,
                                     int j0) const {
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
};

/// Enqueues the transposition of `batch` matrices. A single matrix saves the division that finds
/// the matrix.
template <template <class> class At, class T>
void launch_sectors(const char* label, const At<T>& s, int batch, const Stream& on) {
  using Shape = SectorShape<T>;
  using Order = TileOrder<At<T>::down>;
  const int columns = ceil_div(s.nx, Shape::tile), lines = Shape::lines(s.ny, s.step_b());
  const int fast = Order::fast(columns, lines), slow = Order::slow(columns, lines);
  if (batch == 1) {
    launch_grid<WholeSectorsOf<At, OneGrid, T>>(label, s, batch, on, fast, slow);
  } else {
    launch_grid<WholeSectorsOf<At, TileGrids, T>>(label, s, batch, on, fast, slow);
  }
}

}  // namespace portcost::transpose
