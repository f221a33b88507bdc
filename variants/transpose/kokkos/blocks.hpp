// SPDX-License-Identifier: Apache-2.0
// A team's tile and matrix, the launch of a team for each tile, and the tuned kernels that
// transpose whole matrices (Places) and their blocks: of whole_sectors, and of blocked.
#pragma once

#include <cstdint>

#include "variants/shared/kokkos_team.hpp"
#include "variants/transpose/bodies.hpp"
#include "variants/transpose/host_bodies.hpp"

namespace portcost::transpose {

/// A tile, in a grid of lines and columns for each matrix.
struct InGrid {
  int matrix, line, column;
};

/// The tiles of all matrices, numbered matrix by matrix and line by line.
class TileGrids {
 public:
  TileGrids(int columns, int lines) : columns_(columns), lines_(lines) {}
  KOKKOS_INLINE_FUNCTION InGrid at(int rank) const {
    const int line = columns_(rank), matrix = lines_(line);  // the line among all matrices' lines
    return {matrix, lines_.rest(line, matrix), columns_.rest(rank, line)};
  }

 private:
  Divisor columns_, lines_;
};

/// The tiles of one matrix, which take one division less.
class OneGrid {
 public:
  OneGrid(int columns, int) : columns_(columns) {}
  KOKKOS_INLINE_FUNCTION InGrid at(int rank) const {
    const int line = columns_(rank);
    return {0, line, columns_.rest(rank, line)};
  }

 private:
  Divisor columns_;
};

template <class Kernel>
constexpr int occupancy_of() {
  if constexpr (requires { Kernel::occupancy; }) {
    return Kernel::occupancy;
  } else {
    return 0;
  }
}

/// Launches a team for each tile of `batch` matrices, in a grid of `columns` by `lines` a matrix,
/// with the kernel's scratch and occupancy. Throws Failure where there are more tiles than a league
/// can hold.
template <class Kernel, class Matrices>
void launch_grid(const char* label, const Matrices& s, int batch, const Stream& on, int columns,
                 int lines) {
  const std::int64_t teams = std::int64_t{columns} * lines * batch;
  require(teams <= Kernel::On::most_teams, "more tiles than a league can hold");
  int scratch = 0;
  if constexpr (requires { Kernel::scratch(); }) scratch = Kernel::scratch();
  const auto policy = Kernel::On::policy(on, static_cast<int>(teams), scratch);
  const Kernel kernel{s, {columns, lines}};
  if constexpr (occupancy_of<Kernel>() > 0) {
    Kokkos::parallel_for(label, Kernel::On::with_first_cache(policy, occupancy_of<Kernel>()),
                         kernel);
  } else {
    Kokkos::parallel_for(label, policy, kernel);
  }
}

// ---- whole_sectors and blocked.

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

/// blocked, a shape for hosts: a thread has a group of blocks.
template <template <class> class At, class T>
struct BlockedOf {
  using On = Teams<1>;
  At<T> s;
  TileGrids groups;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    const auto at = groups.at(team.league_rank());
    // One thread of the team does the work.
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      transpose_group(s, at.matrix, at.column * group, at.line * group);
    });
  }
};

}  // namespace portcost::transpose
