// SPDX-License-Identifier: Apache-2.0
// 2D heat equation in plain Kokkos. This header depends only on Kokkos and heat_rule.hpp. The
// kernels follow CUDA lecture 3 (Laeva and Trunov). Each team processes one tile: its threads share
// the rows of the tile, and the lanes of a thread share the columns.
#pragma once

#include <Kokkos_Core.hpp>

#include "variants/shared/heat_rule.hpp"

namespace portcost::heat2d::book {

using Space = Kokkos::DefaultExecutionSpace;
template <int threads>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads>>;
using Member = Teams<128>::member_type;

/// Nodes (y, x); nodes along a row are contiguous. The row pitch may exceed nx.
template <class T>
using Grid = Kokkos::View<T**, Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class T>
using Tile = Kokkos::View<T**, Kokkos::LayoutRight, Space::scratch_memory_space,
                          Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Sixteen contiguous bytes of a row. One vector instruction loads or stores them.
template <class T>
struct alignas(16) Pack {
  static constexpr int length = 16 / sizeof(T);
  T at[length];
};

/// The size of the grid. on_edge() tells which nodes keep a constant temperature.
struct Extents {
  int nx, ny;
  KOKKOS_INLINE_FUNCTION bool contains(int y, int x) const { return y < ny && x < nx; }
  KOKKOS_INLINE_FUNCTION bool on_edge(int y, int x) const {
    return x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
  }
  /// Clamps a row or column of the halo to the grid.
  KOKKOS_INLINE_FUNCTION int near_y(int y) const { return y < 0 ? 0 : y < ny ? y : ny - 1; }
  KOKKOS_INLINE_FUNCTION int near_x(int x) const { return x < 0 ? 0 : x < nx ? x : nx - 1; }
};

/// Returns the value of node (ly, lx) of a grid or tile after one time step.
template <class View, class T>
KOKKOS_INLINE_FUNCTION T next(const View& t, int ly, int lx, bool edge, Coefficients<T> c) {
  if (edge) return t(ly, lx);
  return heat_step(c, t(ly, lx), t(ly, lx - 1), t(ly, lx + 1), t(ly - 1, lx), t(ly + 1, lx));
}

/// naive: each lane loads its node and the four neighbours from global memory. `inner`: nodes on
/// the edge are left to a kernel of their own.
template <bool inner, class T>
void naive(const Space& space, int team_size, int tile_x, int tile_y, Grid<const T> in, Grid<T> out,
           Extents grid, Coefficients<T> c) {
  const int tiles_x = (grid.nx + tile_x - 1) / tile_x, tiles_y = (grid.ny + tile_y - 1) / tile_y;
  Kokkos::parallel_for(
      "heat2d::book::naive", Teams<256>(space, tiles_x * tiles_y, team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const int x0 = team.league_rank() % tiles_x * tile_x;
        const int y0 = team.league_rank() / tiles_x * tile_y;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile_y), [&](int ly) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, tile_x), [&](int lx) {
            const int x = x0 + lx, y = y0 + ly;
            if (inner && grid.on_edge(y, x)) return;
            if (grid.contains(y, x)) out(y, x) = next(in, y, x, !inner && grid.on_edge(y, x), c);
          });
        });
      });
}

/// split_border's second kernel: keeps the outer rows and columns.
template <class T>
void keep_edge(const Space& space, Grid<const T> in, Grid<T> out, Extents grid) {
  Kokkos::parallel_for(
      "heat2d::book::keep_edge",
      Kokkos::RangePolicy<Space>(space, 0, grid.nx > grid.ny ? grid.nx : grid.ny),
      KOKKOS_LAMBDA(const int i) {
        if (i < grid.nx) {
          out(0, i) = in(0, i);
          out(grid.ny - 1, i) = in(grid.ny - 1, i);
        }
        if (i > 0 && i < grid.ny - 1) {
          out(i, 0) = in(i, 0);
          out(i, grid.nx - 1) = in(i, grid.nx - 1);
        }
      });
}

/// naive and blocked on a host: each thread of a team updates whole rows of the tile. The inner
/// loop along x has no branch, so the compiler can vectorise it.
template <bool inner, class T>
void rows(const Space& space, int team_size, int tile_x, int tile_y, Grid<const T> in, Grid<T> out,
          Extents grid, Coefficients<T> c) {
  const int tiles_x = (grid.nx - 1) / tile_x + 1, tiles_y = (grid.ny - 1) / tile_y + 1;
  Kokkos::parallel_for(
      "heat2d::book::rows", Teams<256>(space, tiles_x * tiles_y, team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const int x0 = team.league_rank() % tiles_x * tile_x;
        const int y0 = team.league_rank() / tiles_x * tile_y;
        const int x1 = grid.nx - x0 < tile_x ? grid.nx : x0 + tile_x;
        const int y1 = grid.ny - y0 < tile_y ? grid.ny : y0 + tile_y;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, y0, y1), [&](int y) {
          if (y == 0 || y == grid.ny - 1) {
            if (inner) return;
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, x0, x1),
                                 [&](int x) { out(y, x) = in(y, x); });
            return;
          }
          if (!inner && x0 == 0) out(y, 0) = in(y, 0);
          if (!inner && x1 == grid.nx) out(y, x1 - 1) = in(y, x1 - 1);
          const int begin = x0 == 0 ? 1 : x0, end = x1 == grid.nx ? x1 - 1 : x1;
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, begin, end),
                               [&](int x) { out(y, x) = next(in, y, x, false, c); });
        });
      });
}

inline constexpr int tile_x = 32, tile_y = 16;

/// Stores the nodes of a tile after one time step. Element (1, 1) of the tile, which includes the
/// halo, is node (y0, x0).
template <class T>
KOKKOS_INLINE_FUNCTION void store_next(const Member& team, const Tile<T>& tile, int y0, int x0,
                                       const Grid<T>& out, const Extents& grid, Coefficients<T> c) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile_y), [&](int ly) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, tile_x), [&](int lx) {
      const int x = x0 + lx, y = y0 + ly;
      if (grid.contains(y, x)) out(y, x) = next(tile, ly + 1, lx + 1, grid.on_edge(y, x), c);
    });
  });
}

/// full_halo: the team copies its tile with the halo to scratch, as one array of 34 x 18 nodes.
template <class T>
void full_halo(const Space& space, int team_size, Grid<const T> in, Grid<T> out, Extents grid,
               Coefficients<T> c) {
  constexpr int halo_x = tile_x + 2, halo_y = tile_y + 2;
  const int tiles_x = (grid.nx + tile_x - 1) / tile_x, tiles_y = (grid.ny + tile_y - 1) / tile_y;
  Teams<128> teams(space, tiles_x * tiles_y, team_size, 32);
  teams.set_scratch_size(0, Kokkos::PerTeam(Tile<T>::shmem_size(halo_y, halo_x)));
  Kokkos::parallel_for(
      "heat2d::book::full_halo", teams, KOKKOS_LAMBDA(const Member& team) {
        const int x0 = team.league_rank() % tiles_x * tile_x;
        const int y0 = team.league_rank() / tiles_x * tile_y;
        const Tile<T> tile(team.team_scratch(0), halo_y, halo_x);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, halo_x * halo_y), [&](int node) {
          const int ly = node / halo_x, lx = node % halo_x;
          tile(ly, lx) = in(grid.near_y(y0 - 1 + ly), grid.near_x(x0 - 1 + lx));
        });
        team.team_barrier();
        store_next(team, tile, y0, x0, out, grid, c);
      });
}

/// inner_halo: all threads copy the interior of the tile to scratch; then some lanes copy the halo.
template <class T>
void inner_halo(const Space& space, int team_size, Grid<const T> in, Grid<T> out, Extents grid,
                Coefficients<T> c) {
  constexpr int halo_x = tile_x + 2, halo_y = tile_y + 2;
  const int tiles_x = (grid.nx + tile_x - 1) / tile_x, tiles_y = (grid.ny + tile_y - 1) / tile_y;
  Teams<128> teams(space, tiles_x * tiles_y, team_size, 32);
  teams.set_scratch_size(0, Kokkos::PerTeam(Tile<T>::shmem_size(halo_y, halo_x)));
  Kokkos::parallel_for(
      "heat2d::book::inner_halo", teams, KOKKOS_LAMBDA(const Member& team) {
        const int x0 = team.league_rank() % tiles_x * tile_x;
        const int y0 = team.league_rank() / tiles_x * tile_y;
        const Tile<T> tile(team.team_scratch(0), halo_y, halo_x);
        const auto load = [&](int ly, int lx) {
          tile(ly, lx) = in(grid.near_y(y0 - 1 + ly), grid.near_x(x0 - 1 + lx));
        };
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1, tile_y + 1), [&](int ly) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 1, tile_x + 1),
                               [&](int lx) { load(ly, lx); });
        });
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 1, tile_x + 1), [&](int i) {
          load(0, i);
          load(tile_y + 1, i);
          if (i <= tile_y) {
            load(i, 0);
            load(i, tile_x + 1);
          }
        });
        team.team_barrier();
        store_next(team, tile, y0, x0, out, grid, c);
      });
}

/// sliding_strip: the team processes a strip of 16 rows, 32 columns per iteration. Scratch is a
/// ring buffer of 128 columns: while the team computes 32 columns, it loads the columns of two
/// iterations ahead.
template <class T>
void sliding_strip(const Space& space, int team_size, Grid<const T> in, Grid<T> out, Extents grid,
                   Coefficients<T> c) {
  constexpr int halo_y = tile_y + 2, ring = 4 * tile_x, stretch = 32 * tile_x;
  const int stretches = (grid.nx + stretch - 1) / stretch;
  const int strips = (grid.ny + tile_y - 1) / tile_y;
  Teams<128> teams(space, stretches * strips, team_size, 32);
  teams.set_scratch_size(0, Kokkos::PerTeam(Tile<T>::shmem_size(halo_y, ring)));
  Kokkos::parallel_for(
      "heat2d::book::sliding_strip", teams, KOKKOS_LAMBDA(const Member& team) {
        const int begin = team.league_rank() % stretches * stretch;
        const int end = grid.nx - begin < stretch ? grid.nx : begin + stretch;
        const int y0 = team.league_rank() / stretches * tile_y;
        const Tile<T> tile(team.team_scratch(0), halo_y, ring);
        const auto load = [&](int ly, int x) {
          tile(ly, x & (ring - 1)) = in(grid.near_y(y0 - 1 + ly), grid.near_x(x));
        };
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, halo_y), [&](int ly) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, begin - 1, begin + 2 * tile_x),
                               [&](int x) { load(ly, x); });
        });
        team.team_barrier();
        for (int x0 = begin; x0 < end; x0 += tile_x) {
          const int ahead = x0 + 2 * tile_x;
          if (ahead <= end) {
            Kokkos::parallel_for(Kokkos::TeamThreadRange(team, halo_y), [&](int ly) {
              Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, ahead, ahead + tile_x),
                                   [&](int x) { load(ly, x); });
            });
          }
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile_y), [&](int ly) {
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, x0, x0 + tile_x), [&](int x) {
              const int y = y0 + ly;
              if (!grid.contains(y, x)) return;
              const auto at = [&](int row, int column) { return tile(row, column & (ring - 1)); };
              out(y, x) = next(at, ly + 1, x, grid.on_edge(y, x), c);
            });
          });
          team.team_barrier();
        }
      });
}

/// register_march: uses no scratch. Each lane processes one pack (16 bytes) of four consecutive
/// rows and keeps the rows above and below in registers.
template <class T>
void register_march(const Space& space, int team_size, Grid<const Pack<T>> in, Grid<Pack<T>> out,
                    Extents grid, Coefficients<T> c) {
  constexpr int length = Pack<T>::length, lanes = 32, groups = 4, rows = 4;
  const int packs = (grid.nx + length - 1) / length;
  const int tiles_x = (packs + lanes - 1) / lanes;
  const int tiles_y = (grid.ny + groups * rows - 1) / (groups * rows);
  Kokkos::parallel_for(
      "heat2d::book::register_march", Teams<128>(space, tiles_x * tiles_y, team_size, lanes),
      KOKKOS_LAMBDA(const Member& team) {
        const int p0 = team.league_rank() % tiles_x * lanes;
        const int y0 = team.league_rank() / tiles_x * groups * rows;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, groups), [&](int group) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int lane) {
            const int p = p0 + lane, first = y0 + group * rows;
            if (p >= packs) return;
            Pack<T> row[rows + 2];
            T west[rows], east[rows];
            for (int r = 0; r < rows + 2; ++r) row[r] = in(grid.near_y(first - 1 + r), p);
            for (int r = 0; r < rows; ++r) {
              const int y = grid.near_y(first + r);
              west[r] = in(y, p > 0 ? p - 1 : 0).at[length - 1];
              east[r] = in(y, p < packs - 1 ? p + 1 : p).at[0];
            }
            for (int r = 0; r < rows && first + r < grid.ny; ++r) {
              Pack<T> result;
              for (int j = 0; j < length; ++j) {
                const T centre = row[r + 1].at[j];
                const T moved = heat_step(c, centre, j > 0 ? row[r + 1].at[j - 1] : west[r],
                                          j < length - 1 ? row[r + 1].at[j + 1] : east[r],
                                          row[r].at[j], row[r + 2].at[j]);
                result.at[j] = grid.on_edge(first + r, p * length + j) ? centre : moved;
              }
              out(first + r, p) = result;
            }
          });
        });
      });
}

}  // namespace portcost::heat2d::book
