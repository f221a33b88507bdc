// SPDX-License-Identifier: Apache-2.0
// Tuned portable kernel of whole_sectors, for whole matrices (Places) and for their blocks.
#pragma once

#include "variants/shared/kokkos_team.hpp"
#include "variants/transpose/bodies.hpp"
#include "variants/transpose/kokkos/grids.hpp"

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
      load_rows(s, scratch, warp, lane, in_grid.matrix, i0, most,
                compat::min(s.ny, i0 + Shape::tile), j0);
    });
    team.team_barrier();
    for_all(team, [&](int warp, int lane) {
      store_sectors(s, scratch, warp, lane, in_grid.matrix, i0, most, j0);
    });
  }

  template <class F>
  KOKKOS_FUNCTION static void for_all(const typename On::Member& team, const F& f) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{Shape::warps}), [&](Index warp) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, Index{lanes}),
                           [&](Index lane) { f(static_cast<int>(warp), static_cast<int>(lane)); });
    });
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
