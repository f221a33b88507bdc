// SPDX-License-Identifier: Apache-2.0
// Portable kernel of lane_grid: a system is spread over a grid of items, which have its elements in
// arrays of their own, registers on a device. What the others need of a column lies in scratch.
#pragma once

#include "variants/gauss_batched/problem.hpp"
#include "variants/kokkos_tiles.hpp"

namespace portcost::gauss_batched {

/// What an item has of its system.
template <class Shape, class T>
struct GridItem {
  static constexpr int pack = Shape::pack;
  alignas(16) T own[Shape::rows][Shape::cols];
  int bad;

  /// Where n is less than the shape's, element by element, and 0 past the end.
  KOKKOS_FORCEINLINE_FUNCTION void load(const T* a, int n, int x, int y, bool there) {
    bad = -1;
    if (there && n == Shape::n) {
      for_packs(x, y, [=](int i, int j, T* to) { copy_pack<pack>(to, a + i * Shape::n + j); });
      return;
    }
    for_packs(x, y, [=](int i, int j, T* to) {
#pragma unroll
      for (int e = 0; e < pack; ++e) {
        to[e] = there && i < n && j + e < n ? a[i * n + j + e] : T(0);
      }
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(T* a, int n, int x, int y) {
    if (n == Shape::n) {
      for_packs(x, y,
                [=](int i, int j, const T* from) { copy_pack<pack>(a + i * Shape::n + j, from); });
      return;
    }
    for_packs(x, y, [=](int i, int j, const T* from) {
#pragma unroll
      for (int e = 0; e < pack; ++e) {
        if (i < n && j + e < n) a[i * n + j + e] = from[e];
      }
    });
  }

  /// Shows its part of column k, and of the pivot's row.
  KOKKOS_FORCEINLINE_FUNCTION void show(T* row, T* column, int k, int x, int y) const {
    if (x == Shape::x_with(k)) {
#pragma unroll
      for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
        column[Shape::row_of(y, r)] = own[r][Shape::c_with(k)];
      }
    }
    if (y == Shape::y_with(k)) {
#pragma unroll
      for (int c = Shape::c_with(k) / pack * pack; c < Shape::cols; c += pack) {
        copy_pack<pack>(row + Shape::col_of(x, c), own[Shape::r_with(k)] + c);
      }
    }
  }

  /// Takes its part in column k. All items of a row calculate the multiplier, so that none waits
  /// for another; the one that has the column keeps it.
  KOKKOS_FORCEINLINE_FUNCTION void take(const Batch<T>& b, const T* row, const T* column, int k,
                                        int x, int y) {
    const T pivot = column[k];
    const bool refused = b.refuses(pivot);
    if (refused && bad < 0) bad = k;
    const T inverse = reciprocal(refused ? T(1) : pivot);
    const int c_of_k = Shape::c_with(k), x_of_k = Shape::x_with(k);
    T shown_column[Shape::rows];
    alignas(16) T shown_row[Shape::cols];
#pragma unroll
    for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
      shown_column[r] = column[Shape::row_of(y, r)];
    }
#pragma unroll
    for (int c = c_of_k / pack * pack; c < Shape::cols; c += pack) {
      copy_pack<pack>(shown_row + c, row + Shape::col_of(x, c));
    }
#pragma unroll
    for (int r = Shape::r_with(k); r < Shape::rows; ++r) {
      if (r == Shape::r_with(k) && y <= Shape::y_with(k)) continue;
      const T times = multiplier(shown_column[r], inverse);
      if (x == x_of_k) own[r][c_of_k] = times;
#pragma unroll
      for (int c = c_of_k / pack * pack; c < Shape::cols; ++c) {
        // In the column's own pack, items after its own, and this one after the column.
        const bool later = c / pack > c_of_k / pack || x > x_of_k || (x == x_of_k && c > c_of_k);
        if (later) own[r][c] = eliminate(own[r][c], times, shown_row[c]);
      }
    }
  }

 private:
  // action(row, column, pack) for its packs.
  template <class Action>
  KOKKOS_FORCEINLINE_FUNCTION void for_packs(int x, int y, const Action& action) {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
      for (int c = 0; c < Shape::cols; c += pack) {
        action(Shape::row_of(y, r), Shape::col_of(x, c), own[r] + c);
      }
    }
  }
};

template <class Shape, class T, Way way>
struct LaneGrid {
  using On = Teams<way, Shape::warps, Shape::teams, Lanes::one>;
  static constexpr int pack_border = 16;  // bytes, at a multiple of which packs begin
  Batch<T> b;

  static constexpr int scratch() {
    return scratch_bytes<T>(Shape::scratch + aligned_extra<T, pack_border>);
  }
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    constexpr int items = Shape::threads;
    T* const shown = aligned_scratch<On, T, pack_border>(team, Shape::scratch);
    const int first = team.league_rank() * Shape::systems;
    GridItem<Shape, T> of[On::most_own(items)];
    On::template for_own<items>(team, [&](int item, int mine) {
      const int system = first + Shape::system_of(item);
      const bool there = system < b.count;
      of[mine].load(b.system(there ? system : 0), b.n, Shape::x_of(item), Shape::y_of(item), there);
    });
#pragma unroll
    for (int k = 0; k < Shape::n; ++k) {
      if (k >= b.n) break;
      // In one of two places in turns, because others may still read the one before.
      T* const row = shown + (k & 1) * Shape::shown;
      On::template for_own<items>(team, [&](int item, int mine) {
        T* const mine_shown = row + Shape::system_of(item) * Shape::apart;
        of[mine].show(mine_shown, mine_shown + Shape::n, k, Shape::x_of(item), Shape::y_of(item));
      });
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int mine) {
        const T* const mine_shown = row + Shape::system_of(item) * Shape::apart;
        of[mine].take(b, mine_shown, mine_shown + Shape::n, k, Shape::x_of(item),
                      Shape::y_of(item));
      });
    }
    On::template for_own<items>(team, [&](int item, int mine) {
      const int system = first + Shape::system_of(item), x = Shape::x_of(item),
                y = Shape::y_of(item);
      if (system >= b.count) return;
      of[mine].store(b.system(system), b.n, x, y);
      if (of[mine].bad >= 0 && x == 0 && y == 0) b.bad_pivot[system] = of[mine].bad;
    });
  }
};

}  // namespace portcost::gauss_batched
