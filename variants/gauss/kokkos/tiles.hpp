// SPDX-License-Identifier: Apache-2.0
// Portable kernels of panel and the steps after it on a GPU. Items keep their elements in
// registers; slices that others need lie in scratch. (Where one thread has a tile:
// HostPanelKernels.)
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

// ---- Factorising the pivot tile.

/// Factorises tile (k, k), as bodies.hpp describes; records name the kernel CloseTile. `takes`:
/// first the team updates the tile by the pivots in `before`, if there are any.
template <class Shape, class T, bool takes = false>
struct CloseTile : FactorisingTile<Shape, T> {
  using On = Teams<Shape::warps, 1, Lanes::one>;
  using Body = FactorisingTile<Shape, T>;
  using At = typename Body::At;
  static constexpr int tile = Shape::tile, items = Shape::threads, most = On::most_own(items);
  static constexpr int elements = takes && Shape::scratch > At::size ? Shape::scratch : At::size;
  using Body::before;
  using Body::k;
  using Body::s;

  static constexpr int scratch() { return scratch_bytes<T>(elements + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const scratch = aligned_scratch<On, T>(team, elements);
    alignas(pack_bytes<T>) T own[most][Shape::rows][Shape::cols];
    if (takes && before.end > before.first) {
      Product<Shape, T>::load(team, s, {k, k}, before, scratch, own);
    } else {
      On::template for_own<items>(team, [&](int item, int mine) {
        load_tile<Shape>(own[mine], s, {k, k}, item);
      });
    }
#pragma unroll 1
    for (int pivot = 0; pivot < tile; pivot += At::width) {
      T* const turn = scratch + At::of(pivot);
      On::template for_own<items>(
          team, [&](int item, int mine) { Body::publish(own[mine], item, pivot, turn); });
      team.team_barrier();
      On::template for_own<items>(team,
                                  [&](int item, int) { this->solve_lines(item, pivot, turn); });
      team.team_barrier();
      if (const int bad = static_cast<int>(turn[At::bad]); bad < At::width) {
        if (team.team_rank() == 0) *s.bad_pivot = k * tile + pivot + bad;
        return;
      }
      On::template for_own<items>(
          team, [&](int item, int mine) { Body::take_products(own[mine], item, pivot, turn); });
    }
  }
};

// ---- Solving for the cross.

/// Solves for the cross of tile (k, k), as bodies.hpp describes.
template <int tile, class T>
struct SolveCross : SolvingCross<tile, T> {
  using Solving = SolvingCross<tile, T>;
  using Shape = SolveShape<tile>;
  using On = Teams<Shape::warps, 1, Lanes::one>;
  using Solving::chunk;
  using Solving::chunks;
  using Solving::items;
  using Solving::k;
  using Solving::lines;
  using Solving::parts;
  using Solving::region;
  using Solving::s;
  static constexpr int most = On::most_own(items);

  static constexpr int scratch() { return scratch_bytes<T>(Shape::scratch + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const scratch = aligned_scratch<On, T>(team, Shape::scratch);
    const Tile at = region.at(team.league_rank() / parts);
    const int part = team.league_rank() % parts;
    if (at.row == k) {
      solve<true>(team, scratch, at, part);
    } else {
      solve<false>(team, scratch, at, part);
    }
  }

  // beside: columns of a tile beside the pivot tile, else rows of a tile below it.
  template <bool beside>
  KOKKOS_FUNCTION void solve(const typename On::Member& team, T* scratch, Tile at, int part) const {
    T* const known = scratch + Shape::known;
    T* const inverse = scratch + Shape::inverse;
    alignas(pack_bytes<T>) T line[most][chunk];
    typename Solving::Blocks blocks[most];
    On::template for_own<items>(team, [&](int item, int mine) {
      this->template fetch<beside>(blocks[mine], item, 0);
      this->template load<beside>(
          line[mine], this->template place<beside>(at, part * lines + item % lines, item));
      if constexpr (!beside) this->invert(inverse, item);
      Solving::template publish<beside>(blocks[mine], scratch, item, 0);
    });
    team.team_barrier();
#pragma unroll 1
    for (int c = 0; c < chunks; ++c) {
      On::template for_own<items>(team, [&](int item, int mine) {
        if (item / lines == c) {
          Solving::template solve_chunk<beside>(line[mine], scratch, inverse + c * chunk);
#pragma unroll
          for (int e = 0; e < chunk; ++e) {
            known[e * lines + item % lines] = line[mine][e];
          }
        }
        if (c + 1 < chunks) this->template fetch<beside>(blocks[mine], item, c + 1);
      });
      if (c + 1 == chunks) break;
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int mine) {
        const int own = item / lines;
        if (own <= c) return;
        Solving::take(line[mine], known + item % lines, scratch + (own - c) * Shape::block);
      });
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int mine) {
        Solving::template publish<beside>(blocks[mine], scratch, item, c + 1);
      });
      team.team_barrier();
    }
    On::template for_own<items>(team, [&](int item, int mine) {
      this->template store<beside>(
          line[mine], this->template place<beside>(at, part * lines + item % lines, item));
    });
  }
};

}  // namespace portcost::gauss
