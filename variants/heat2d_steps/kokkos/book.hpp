// SPDX-License-Identifier: Apache-2.0
// Many steps of the 2D heat equation in plain Kokkos: this header needs Kokkos and rule.hpp alone.
// A team keeps several time levels of its part of the grid in scratch, so that one pass over memory
// makes several steps (temporal blocking; AN5D, CGO 2020).
#pragma once

#include <Kokkos_Core.hpp>

#include "variants/heat2d_steps/rule.hpp"

namespace portcost::heat2d_steps::book {

using Space = Kokkos::DefaultExecutionSpace;
template <int threads>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads>>;
using Member = Teams<256>::member_type;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

/// Nodes (y, x), those of a row are neighbours in memory. Rows may be longer than nx.
template <class T>
using Grid = Kokkos::View<T**, Kokkos::LayoutRight, Space, Unmanaged>;
/// Scratch: a tile, and rows of several time levels.
template <class T>
using Tile = Kokkos::View<T**, Kokkos::LayoutRight, Space::scratch_memory_space, Unmanaged>;
template <class T>
using Rings = Kokkos::View<T***, Kokkos::LayoutRight, Space::scratch_memory_space, Unmanaged>;

/// Sixteen bytes of a row, which one instruction loads or stores.
template <class T>
struct alignas(16) Pack {
  static constexpr int length = 16 / sizeof(T);
  T at[length];
};

struct Extents {
  int nx, ny;
  KOKKOS_INLINE_FUNCTION bool on_edge(int y, int x) const {
    return x <= 0 || y <= 0 || x >= nx - 1 || y >= ny - 1;
  }
};

/// one_step: each thread of a team takes rows, its lanes the columns.
template <class T>
void one_step(const Space& space, int team_size, Grid<const T> in, Grid<T> out, Extents grid,
              Coefficients<T> c) {
  constexpr int rows = 8;
  Kokkos::parallel_for(
      "heat2d_steps::book::one_step", Teams<256>(space, (grid.ny + rows - 1) / rows, team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const int y0 = team.league_rank() * rows;
        const int y1 = grid.ny - y0 < rows ? grid.ny : y0 + rows;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, y0, y1), [&](int y) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, grid.nx), [&](int x) {
            out(y, x) = grid.on_edge(y, x) ? in(y, x)
                                           : heat_step(c, in(y, x), in(y, x - 1), in(y, x + 1),
                                                       in(y - 1, x), in(y + 1, x));
          });
        });
      });
}

/// overlapped: a team makes `steps` steps of a tile of `height` rows and `width` columns, and
/// stores the nodes that no line of its rim has reached. Both time levels begin as the input, so
/// that the edge of the grid, which never changes, is not computed.
template <class T>
void overlapped(const Space& space, int team_size, int width, int height, int steps,
                Grid<const T> in, Grid<T> out, Extents grid, Coefficients<T> c) {
  const int wide = width - 2 * steps, high = height - 2 * steps;
  const int columns = (grid.nx - 1) / wide + 1, rows = (grid.ny - 1) / high + 1;
  Teams<256> policy(space, columns * rows, team_size, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(2 * Tile<T>::shmem_size(height, width)));
  Kokkos::parallel_for(
      "heat2d_steps::book::overlapped", policy, KOKKOS_LAMBDA(const Member& team) {
        Tile<T> now(team.team_scratch(0), height, width), next(team.team_scratch(0), height, width);
        const int x0 = team.league_rank() % columns * wide - steps;
        const int y0 = team.league_rank() / columns * high - steps;
        const int left = x0 < 0 ? -x0 : 0, top = y0 < 0 ? -y0 : 0;
        const int right = grid.nx - x0 < width ? grid.nx - x0 : width;
        const int bottom = grid.ny - y0 < height ? grid.ny - y0 : height;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, top, bottom), [&](int y) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, left, right),
                               [&](int x) { now(y, x) = next(y, x) = in(y0 + y, x0 + x); });
        });
        team.team_barrier();
        for (int k = 1; k <= steps; ++k) {
          // Neither the edge of the grid nor lines that the rim has reached.
          const int x1 = left > 0 ? left + 1 : k, x2 = right < width ? right - 1 : width - k;
          const int y1 = top > 0 ? top + 1 : k, y2 = bottom < height ? bottom - 1 : height - k;
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, y1, y2 < y1 ? y1 : y2), [&](int y) {
            Kokkos::parallel_for(
                Kokkos::ThreadVectorRange(team, x1, x2 < x1 ? x1 : x2), [=](int x) {
                  next(y, x) = heat_step(c, now(y, x), now(y, x - 1), now(y, x + 1), now(y - 1, x),
                                         now(y + 1, x));
                });
          });
          team.team_barrier();
          const Tile<T> done = next;
          next = now;
          now = done;
        }
        const int x2 = right < width - steps ? right : width - steps;
        const int y2 = bottom < height - steps ? bottom : height - steps;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, steps, y2), [&](int y) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, steps, x2),
                               [&](int x) { out(y0 + y, x0 + x) = now(y, x); });
        });
      });
}

/// A pack one step later, from three rows of a time level.
template <class T>
KOKKOS_FUNCTION Pack<T> next_pack(const Rings<Pack<T>>& ring, int level, int north, int row,
                                  int south, int p, int x, int y, Extents grid, Coefficients<T> c) {
  constexpr int length = Pack<T>::length;
  const int last = ring.extent_int(2) - 1;
  const Pack<T> here = ring(level, row, p);
  const Pack<T> above = ring(level, north, p), below = ring(level, south, p);
  const T west = ring(level, row, p > 0 ? p - 1 : 0).at[length - 1];
  const T east = ring(level, row, p < last ? p + 1 : last).at[0];
  Pack<T> next;
  for (int j = 0; j < length; ++j) {
    const T w = j == 0 ? west : here.at[j == 0 ? 0 : j - 1];
    const T e = j == length - 1 ? east : here.at[j == length - 1 ? 0 : j + 1];
    next.at[j] = grid.on_edge(y, x + j) ? here.at[j]
                                        : heat_step(c, here.at[j], w, e, above.at[j], below.at[j]);
  }
  return next;
}

/// stream_y: a team walks down a strip of `packs` packs with four rows of each time level in
/// scratch. Level k is two rows behind level k - 1, so that all levels advance by a row at once, a
/// thread each, between two barriers.
template <int steps, class T>
void stream_y(const Space& space, int team_size, int packs, int stretch, Grid<const Pack<T>> in,
              Grid<Pack<T>> out, Extents grid, Coefficients<T> c) {
  constexpr int length = Pack<T>::length, halo = (steps + length - 1) / length;
  const int wide = packs - 2 * halo, strips = ((grid.nx - 1) / length + wide) / wide;
  const int stretches = (grid.ny - 1) / stretch + 1;
  Teams<32 * (steps + 1)> policy(space, strips * stretches, team_size, 32);
  policy.set_scratch_size(0, Kokkos::PerTeam(Rings<Pack<T>>::shmem_size(steps, 4, packs)));
  Kokkos::parallel_for(
      "heat2d_steps::book::stream_y", policy, KOKKOS_LAMBDA(const Member& team) {
        const Rings<Pack<T>> ring(team.team_scratch(0), steps, 4, packs);
        const int p0 = team.league_rank() % strips * wide - halo;
        const int y0 = team.league_rank() / strips * stretch;
        const int end = grid.ny - y0 < stretch ? grid.ny : y0 + stretch;
        for (int arriving = y0 - steps; arriving < end + 2 * steps; ++arriving) {
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, steps + 1), [&](int level) {
            const int y = arriving - 2 * level;
            if (y < y0 - steps + level || y >= end + steps - level) return;
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, packs), [&](int p) {
              const int at = p0 + p;
              if (level == 0) {
                const int row = y < 0 ? 0 : y < grid.ny ? y : grid.ny - 1;
                const bool there = at >= 0 && at < in.extent_int(1);
                ring(0, y & 3, p) = there ? in(row, at) : Pack<T>{};
                return;
              }
              const Pack<T> next = next_pack(ring, level - 1, (y - 1) & 3, y & 3, (y + 1) & 3, p,
                                             at * length, y, grid, c);
              if (level < steps) {
                ring(level, y & 3, p) = next;
              } else if (p >= halo && p < packs - halo && at < out.extent_int(1)) {
                out(y, at) = next;
              }
            });
          });
          team.team_barrier();
        }
      });
}

}  // namespace portcost::heat2d_steps::book
