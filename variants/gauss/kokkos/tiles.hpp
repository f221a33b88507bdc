// SPDX-License-Identifier: Apache-2.0
// Portable kernels of panel and the steps after it on a GPU: the trailing update. Items keep their
// elements in registers; slices that others need lie in scratch. (Where one thread has a tile:
// host.hpp.)
#pragma once

#include "variants/gauss/bodies.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::gauss {

/// Loads an item's elements of a tile to registers, or stores them.
template <class Shape, class T>
KOKKOS_INLINE_FUNCTION T* place_of(const System<T>& s, Tile at, int item, int r, int c) {
  return s.row(at.row * Shape::tile + Shape::row_of(Shape::y_of(item), r)) + at.col * Shape::tile +
         Shape::col_of(Shape::x_of(item), c);
}
template <class Shape, class T>
KOKKOS_INLINE_FUNCTION void load_tile(T (&own)[Shape::rows][Shape::cols], const System<T>& s,
                                      Tile at, int item) {
  constexpr int wide = Shape::group_x;
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
    for (int c = 0; c < Shape::cols; c += wide) {
      copy_pack<wide>(own[r] + c, place_of<Shape>(s, at, item, r, c));
    }
  }
}
template <class Shape, class T>
KOKKOS_INLINE_FUNCTION void store_tile(const T (&own)[Shape::rows][Shape::cols], const System<T>& s,
                                       Tile at, int item) {
  constexpr int wide = Shape::group_x;
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
    for (int c = 0; c < Shape::cols; c += wide) {
      copy_pack<wide>(place_of<Shape>(s, at, item, r, c), own[r] + c);
    }
  }
}

/// Updates the tiles of a region by its columns, a tile a team.
template <class Shape, class T>
struct Product {
  using On = Teams<Shape::warps, Shape::teams, Lanes::one>;
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols;
  static constexpr int items = Shape::threads, most = On::most_own(items);
  System<T> s;
  Region region;

  static constexpr int scratch() { return scratch_bytes<T>(Shape::scratch + aligned_extra<T>); }

  // Loads the elements of a team's items and updates them by the pivots in `columns`, at least one
  // slice of them. left: Shape::scratch elements, free for another use at the end.
  KOKKOS_FUNCTION static void load(const typename On::Member& team, const System<T>& s, Tile at,
                                   Columns columns, T* left, T (&own)[most][rows][cols]) {
    T* const right = left + 2 * Shape::left_slice;
    Loads<Shape, T> loads[most];
    On::template for_own<items>(team, [&](int item, int mine) {
      loads[mine].begin(s, item, at, columns.first);
      loads[mine].fetch(s);
      load_tile<Shape>(own[mine], s, at, item);
      loads[mine].publish(item, left, right);
    });
    team.team_barrier();
    const int steps = (columns.end - columns.first) / Shape::slice;
    for (int step = 0; step < steps; ++step) {
      const int now = step & 1, later = now ^ 1;
      const bool more = step + 1 < steps;
      On::template for_own<items>(team, [&](int item, int mine) {
        if (more) loads[mine].fetch(s);
        take_slice<Shape>(own[mine], Shape::x_of(item), Shape::y_of(item),
                          left + now * Shape::left_slice, right + now * Shape::right_slice);
        if (more) {
          loads[mine].publish(item, left + later * Shape::left_slice,
                              right + later * Shape::right_slice);
        }
      });
      team.team_barrier();
    }
  }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    const Tile at = region.at(team.league_rank());
    T* const scratch = aligned_scratch<On, T>(team, Shape::scratch);
    alignas(pack_bytes<T>) T own[most][rows][cols];
    load(team, s, at, region.columns, scratch, own);
    On::template for_own<items>(
        team, [&](int item, int mine) { store_tile<Shape>(own[mine], s, at, item); });
  }
};

}  // namespace portcost::gauss
