// SPDX-License-Identifier: Apache-2.0
// Portable kernel of lane_grid: a grid of items holds a system in the items' arrays, registers on a
// device. Scratch holds the parts of columns and rows that other items need.
#pragma once

#include <utility>

#include "variants/gauss_batched/bodies.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::gauss_batched {

/// An item's part of its system.
template <class Shape, class T>
struct GridItem {
  static constexpr int pack = Shape::pack, together = Shape::together;
  alignas(16) T own[Shape::rows][Shape::cols];
  int bad;

  KOKKOS_FORCEINLINE_FUNCTION void load(const T* a, int n, int x, int y, bool there) {
    bad = -1;
    load_own<Shape>(own, a, n, x, y, there);
  }
  /// Publishes the item's part of columns k, ..., `together` of them, and of their pivots' rows.
  KOKKOS_FORCEINLINE_FUNCTION void publish(T* rows, T* columns, int k, int x, int y) const {
    if (x == Shape::x_with(k)) {
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        copy_pack<together>(columns + together * Shape::row_of(y, r), own[r] + Shape::c_with(k));
      }
    }
#pragma unroll
    for (int e = 0; e < together; ++e) {
      if (y != Shape::y_with(k + e)) continue;
#pragma unroll
      for (int c = Shape::c_with(k) / pack * pack; c < Shape::cols; c += pack) {
        copy_pack<pack>(rows + e * Shape::n + Shape::col_of(x, c), own[Shape::r_with(k + e)] + c);
      }
    }
  }

  /// Eliminates these columns in the item's elements; `others` gives what other items published.
  template <class Others>
  KOKKOS_FORCEINLINE_FUNCTION void take(const Batch<T>& b, const Others& others, int k, int x,
                                        int y) {
    Published<Shape, T> published;
    others.columns(published, own, k, x, y);
    factorise_square<Shape>(published, b, bad, k);
#pragma unroll
    for (int c = Shape::c_with(k) / pack * pack; c < Shape::cols; c += pack) {
      PivotRows<Shape, T> rows;
      others.rows(rows, own, k, c, x);
      solve_pivot_rows(published, rows);
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        update_row<Shape>(own, published, rows, x, y, k, c, r);
      }
    }
  }
};

/// An item's number, tied to the team (of_team), so that nvcc does not hoist dependent arithmetic
/// out of the loop over teams and keep it in registers. Not where the code is long, because of_team
/// makes it longer.
template <class On, class Shape>
KOKKOS_FORCEINLINE_FUNCTION int number_in(const typename On::Member& team, int item) {
  return Shape::long_code ? item : On::of_team(team, item);
}

template <class Shape, class T>
struct FromScratch {
  static constexpr int pack = Shape::pack, together = Shape::together;
  const T* place;  // the pivots' rows, then the columns

  KOKKOS_FORCEINLINE_FUNCTION void columns(Published<Shape, T>& published,
                                           const T (&)[Shape::rows][Shape::cols], int k, int,
                                           int y) const {
    const T* const from = place + together * Shape::n;
#pragma unroll
    for (int e = 0; e < together; ++e)
      copy_pack<together>(published.square[e], from + together * (k + e));
#pragma unroll
    for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
      copy_pack<together>(published.column[r], from + together * Shape::row_of(y, r));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void rows(PivotRows<Shape, T>& rows,
                                        const T (&)[Shape::rows][Shape::cols], int, int c,
                                        int x) const {
#pragma unroll
    for (int e = 0; e < together; ++e) {
      copy_pack<pack>(rows.at[e], place + e * Shape::n + Shape::col_of(x, c));
    }
  }
};

template <class On, class Shape, class T>
struct FromLanes {
  static_assert(Shape::of_system <= lanes);
  static constexpr int pack = Shape::pack, together = Shape::together;

  KOKKOS_FORCEINLINE_FUNCTION static T from(T element, int y, int x) {
    return On::of_lane(element, y * Shape::across + x, Shape::of_system);
  }
  KOKKOS_FORCEINLINE_FUNCTION void columns(Published<Shape, T>& published,
                                           const T (&own)[Shape::rows][Shape::cols], int k, int,
                                           int y) const {
    const int c = Shape::c_with(k);
#pragma unroll
    for (int f = 0; f < together; ++f) {
#pragma unroll
      for (int e = 0; e < together; ++e) {
        published.square[e][f] =
            from(own[Shape::r_with(k + e)][c + f], Shape::y_with(k + e), Shape::x_with(k));
      }
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        published.column[r][f] = from(own[r][c + f], y, Shape::x_with(k));
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void rows(PivotRows<Shape, T>& rows,
                                        const T (&own)[Shape::rows][Shape::cols], int k, int c,
                                        int x) const {
#pragma unroll
    for (int e = 0; e < together; ++e) {
#pragma unroll
      for (int q = 0; q < pack; ++q) {
        rows.at[e][q] = from(own[Shape::r_with(k + e)][c + q], Shape::y_with(k + e), x);
      }
    }
  }
};

/// The rounds of a system. A round's first column is a constant, so that an item's elements are
/// registers.
template <class Shape>
using Rounds = std::make_integer_sequence<int, Shape::n / Shape::together>;

/// The same grid, but lanes exchange by warp shuffles.
template <class Shape, class T>
struct LaneShuffles {
  using On = Teams<Shape::warps, Shape::teams, Lanes::one>;
  Batch<T> b;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int item = number_in<On, Shape>(team, team.team_rank());
    const int x = Shape::x_of(item), y = Shape::y_of(item);
    const int system = team.league_rank() * Shape::systems + Shape::system_of(item);
    const bool there = system < b.count;
    T* const a = b.system(there ? system : 0);
    GridItem<Shape, T> grid;
    grid.load(a, b.n, x, y, there);
    take_all(grid, x, y, Rounds<Shape>());
    if (!there) return;
    store_own<Shape>(grid.own, a, b.n, x, y);
    if (grid.bad >= 0 && x == 0 && y == 0) b.bad_pivot[system] = grid.bad;
  }

 private:
  template <int... round>
  KOKKOS_FORCEINLINE_FUNCTION void take_all(GridItem<Shape, T>& grid, int x, int y,
                                            std::integer_sequence<int, round...>) const {
    static_cast<void>((take<round * Shape::together>(grid, x, y) && ...));
  }
  template <int k>
  KOKKOS_FORCEINLINE_FUNCTION bool take(GridItem<Shape, T>& grid, int x, int y) const {
    if (k >= b.n) return false;
    grid.take(b, FromLanes<On, Shape, T>(), k, x, y);
    return true;
  }
};

template <class Shape, class T>
struct LaneGrid {
  using On = Teams<Shape::warps, Shape::teams, Lanes::one>;
  static constexpr int pack_border = 16;  // bytes; packs are aligned to it
  Batch<T> b;

  static constexpr int scratch() {
    return scratch_bytes<T>(Shape::scratch + aligned_extra<T, pack_border>);
  }
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const int first = team.league_rank() * Shape::systems;
    Own of;
    On::template for_own<items>(team, [&](int number, int mine) {
      const int item = number_in<On, Shape>(team, number);
      const int system = first + Shape::system_of(item);
      const bool there = system < b.count;
      of[mine].load(b.system(there ? system : 0), b.n, Shape::x_of(item), Shape::y_of(item), there);
    });
    // After the loads, so that they overlap with the arithmetic of the address.
    T* const scratch = aligned_scratch<On, T, pack_border>(team, Shape::scratch);
    take_all(team, of, scratch, Rounds<Shape>());
    On::template for_own<items>(team, [&](int number, int mine) {
      const int item = number_in<On, Shape>(team, number);
      const int system = first + Shape::system_of(item), x = Shape::x_of(item),
                y = Shape::y_of(item);
      if (system >= b.count) return;
      store_own<Shape>(of[mine].own, b.system(system), b.n, x, y);
      if (of[mine].bad >= 0 && x == 0 && y == 0) b.bad_pivot[system] = of[mine].bad;
    });
  }

 private:
  static constexpr int items = Shape::threads;
  using Own = GridItem<Shape, T>[On::most_own(items)];

  template <int... round>
  KOKKOS_FORCEINLINE_FUNCTION void take_all(const typename On::Member& team, Own& of, T* scratch,
                                            std::integer_sequence<int, round...>) const {
    static_cast<void>((take<round * Shape::together>(team, of, scratch) && ...));
  }
  template <int k>
  KOKKOS_FORCEINLINE_FUNCTION bool take(const typename On::Member& team, Own& of,
                                        T* scratch) const {
    if (k >= b.n) return false;
    // Double-buffered, because others may still read the previous round's.
    T* const place = scratch + (k / Shape::together & 1) * Shape::published;
    On::template for_own<items>(team, [&](int number, int mine) {
      const int item = number_in<On, Shape>(team, number);
      T* const rows = place + Shape::system_of(item) * Shape::apart;
      of[mine].publish(rows, rows + Shape::together * Shape::n, k, Shape::x_of(item),
                       Shape::y_of(item));
    });
    team.team_barrier();
    On::template for_own<items>(team, [&](int number, int mine) {
      const int item = number_in<On, Shape>(team, number);
      const FromScratch<Shape, T> others{place + Shape::system_of(item) * Shape::apart};
      of[mine].take(b, others, k, Shape::x_of(item), Shape::y_of(item));
    });
    return true;
  }
};

}  // namespace portcost::gauss_batched
