// SPDX-License-Identifier: Apache-2.0
// Portable kernel of lane_grid: a system is spread over a grid of items, which have its elements in
// arrays of their own, registers on a device. What the others need of a column lies in scratch.
#pragma once

#include "variants/gauss_batched/problem.hpp"
#include "variants/kokkos_team.hpp"

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
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
      const int i = Shape::row_of(y, r);
#pragma unroll
      for (int c = 0; c < Shape::cols; c += pack) {
        const int j = Shape::col_of(x, c);
        const T* const from = a + i * n + j;
        if (there && n == Shape::n) {
          copy_pack<pack>(own[r] + c, from);
          continue;
        }
#pragma unroll
        for (int e = 0; e < pack; ++e) own[r][c + e] = there && i < n && j + e < n ? from[e] : T(0);
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(T* a, int n, int x, int y) const {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
      const int i = Shape::row_of(y, r);
#pragma unroll
      for (int c = 0; c < Shape::cols; c += pack) {
        const int j = Shape::col_of(x, c);
        T* const to = a + i * n + j;
        if (n == Shape::n) {
          copy_pack<pack>(to, own[r] + c);
          continue;
        }
#pragma unroll
        for (int e = 0; e < pack; ++e) {
          if (i < n && j + e < n) to[e] = own[r][c + e];
        }
      }
    }
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

  /// Takes its part in column k. All items of a row divide by the pivot, so that none waits for
  /// another; the one that has the column keeps the multiplier.
  KOKKOS_FORCEINLINE_FUNCTION void take(const Batch<T>& b, const T* row, const T* column, int k,
                                        int x, int y) {
    const T pivot = column[k];
    const bool refused = b.refuses(pivot);
    if (refused && bad < 0) bad = k;
    const T divisor = refused ? T(1) : pivot;
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
      const T times = multiplier(shown_column[r], divisor);
      if (x == x_of_k) own[r][c_of_k] = times;
#pragma unroll
      for (int c = c_of_k / pack * pack; c < Shape::cols; ++c) {
        // In the column's own pack, items after its own, and this one after the column.
        const bool later = c / pack > c_of_k / pack || x > x_of_k || (x == x_of_k && c > c_of_k);
        if (later) own[r][c] = eliminate(own[r][c], times, shown_row[c]);
      }
    }
  }
};

template <class Shape, class T, Way way>
struct LaneGrid {
  using On = Teams<way, Shape::warps, Shape::teams, Lanes::one>;
  static constexpr int to_border = 16 / static_cast<int>(sizeof(T));
  Batch<T> b;

  static constexpr int scratch() { return scratch_bytes<T>(Shape::scratch + to_border); }
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    constexpr int items = Shape::threads;
    // Packs begin at a multiple of 16 bytes.
    T* const memory = On::template scratch<T>(team, Shape::scratch + to_border);
    const auto past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(memory) % 16);
    T* const shown = memory + (16 - past) % 16 / sizeof(T);
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
