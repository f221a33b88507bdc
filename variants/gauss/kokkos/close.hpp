// SPDX-License-Identifier: Apache-2.0
// Portable kernel of panel and look_ahead on a GPU: closing a tile. (Where one thread has the tile:
// host.hpp.)
#pragma once

#include "variants/gauss/kokkos/tiles.hpp"

namespace portcost::gauss {

/// Closes tile (k, k). Every item keeps its elements in registers. In a turn those who have the
/// columns and rows of its pivots show them; some items close the square on the diagonal, a row an
/// item; the lines below and beside it are closed, a line an item; and every item takes its
/// elements' products.
template <class Shape, class T, Way way>
struct CloseTile {
  using On = Teams<way, Shape::warps, 1, Lanes::one>;
  using At = CloseScratch<T>;
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols;
  static constexpr int items = Shape::threads, most = On::most_own(items);
  static constexpr int width = At::width, wide = 4;
  static_assert(Shape::group_y == wide && Shape::group_x == wide && items == 2 * tile);
  using Line = T[width];
  System<T> s;
  int k;

  static constexpr int scratch() { return scratch_bytes<T>(At::size + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const shown = aligned_scratch<On, T>(team, At::size);
    alignas(pack_bytes<T>) T own[most][rows][cols];
    alignas(pack_bytes<T>) Line line[most];
    On::template for_own<items>(team, [&](int item, int mine) {
      load_tile<Shape>(own[mine], s, {k, k}, item);
    });
#pragma unroll 1
    for (int via = 0; via < tile; via += width) {
      On::template for_own<items>(
          team, [&](int item, int mine) { exchange<true>(own[mine], item, via, shown); });
      team.team_barrier();
      close_square(team, line, shown, via);
      if (const int bad = static_cast<int>(shown[At::bad]); bad < width) {
        if (team.team_rank() == 0) *s.bad_pivot = k * tile + via + bad;
        return;
      }
      On::template for_own<items>(
          team, [&](int item, int mine) { close_line_of(line[mine], item, via, shown); });
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int mine) {
        exchange<false>(own[mine], item, via, shown);
        take_products(own[mine], item, via, shown);
      });
      team.team_barrier();
    }
    On::template for_own<items>(team, [&](int item, int mine) {
      store_tile<Shape>(own[mine], s, {k, k}, item);
    });
  }

  // ---- The square on the diagonal.

  KOKKOS_FUNCTION void close_square(const typename On::Member& team, Line* row, T* shown,
                                    int via) const {
    On::template for_own<items>(team, [&](int item, int mine) {
      if (item == 0) shown[At::bad] = width;
      if (item >= width) return;
#pragma unroll
      for (int e = 0; e < width; ++e) {
        row[mine][e] = shown[At::columns + e * tile + via + item];
      }
      if (item == 0) show_pivot<width>(row[mine], 0, via, shown);
    });
    team.team_barrier();
    if constexpr (width == 32) {
      some_pivots<32>(team, row, shown, via, 0);
      some_pivots<24>(team, row, shown, via, 8);
    }
    if constexpr (width >= 16) some_pivots<16>(team, row, shown, via, width - 16);
    some_pivots<8>(team, row, shown, via, width - 8);
  }
  // The row of pivot m, `left` columns of it, and the reciprocal.
  template <int left>
  KOKKOS_FUNCTION void show_pivot(const Line& row, int m, int via, T* shown) const {
    if (shown[At::bad] == width && s.refuses(k * tile + via + m, row[0])) shown[At::bad] = m;
    shown[At::inverse + m] = reciprocal(row[0]);
#pragma unroll
    for (int e = 0; e < left; e += wide)
      copy_pack<wide>(shown + At::upper + m * width + e, row + e);
  }
  // Eight pivots, when `left` columns are left. At each, rows move one element to the left, so that
  // the loop need not be unrolled: row[0] is always in the pivot's column. Rows up to the pivot's
  // take nothing (a multiplier of 0), and what leaves at the left is what is there in the end.
  template <int left>
  KOKKOS_FUNCTION void some_pivots(const typename On::Member& team, Line* row, T* shown, int via,
                                   int first) const {
#pragma unroll 1
    for (int m = first; m < first + 8; ++m) {
      On::template for_own<items>(team, [&](int item, int mine) {
        if (item < width) take_pivot<left>(row[mine], item, m, via, shown);
      });
      team.team_barrier();
    }
  }
  template <int left>
  KOKKOS_FUNCTION void take_pivot(Line& row, int item, int m, int via, T* shown) const {
    const T times = item > m ? row[0] * shown[At::inverse + m] : T(0);
    alignas(pack_bytes<T>) T from[left];
#pragma unroll
    for (int e = 0; e < left; e += wide) {
      copy_pack<wide>(from + e, shown + At::upper + m * width + e);
    }
    shown[At::columns + m * tile + via + item] = item > m ? times : row[0];
    if (item > m) shown[At::lower + m * width + item - m] = times;
#pragma unroll
    for (int e = 1; e < left; ++e) row[e - 1] = eliminate(row[e], times, from[e]);
    if (item == m + 1) show_pivot<left>(row, m + 1, via, shown);
  }

  // ---- Lines below and beside it.

  // Its elements by each other. triangle[m * width + e] is what element m + e takes of element m.
  template <bool below>
  KOKKOS_FUNCTION static void close_line(Line& line, const T* triangle, const T* inverse) {
#pragma unroll
    for (int m = 0; m < width; ++m) {
      if constexpr (below) line[m] = line[m] * inverse[m];
#pragma unroll
      for (int e = 0; e + m < width; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, triangle + m * width + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) {
          if (e + i > 0 && m + e + i < width) {
            line[m + e + i] = eliminate(line[m + e + i], line[m], some[i]);
          }
        }
      }
    }
  }
  // Items of the first half have rows below, the others columns beside.
  KOKKOS_FUNCTION static void close_line_of(Line& line, int item, int via, T* shown) {
    const bool below = item < tile;
    const int at = item % tile;
    if (at < via + width) return;
    T* const place = shown + (below ? At::columns : At::rows) + at;
#pragma unroll
    for (int e = 0; e < width; ++e) line[e] = place[e * tile];
    if (below) {
      close_line<true>(line, shown + At::upper, shown + At::inverse);
    } else {
      close_line<false>(line, shown + At::lower, shown + At::inverse);
    }
#pragma unroll
    for (int e = 0; e < width; ++e) place[e * tile] = line[e];
  }

  // ---- An item's own elements.

  // f(h, g, row, column) for each of its squares of 4 x 4 neighbours.
  template <class F>
  KOKKOS_FUNCTION static void each_square(int item, const F& f) {
    const int x = Shape::x_of(item), y = Shape::y_of(item);
#pragma unroll
    for (int h = 0; h < rows; h += wide) {
#pragma unroll
      for (int g = 0; g < cols; g += wide) f(h, g, Shape::row_of(y, h), Shape::col_of(x, g));
    }
  }
  // Those of the turn's columns and rows, to scratch or back.
  template <bool to_scratch>
  KOKKOS_FUNCTION static void exchange(T (&own)[rows][cols], int item, int via, T* shown) {
    each_square(item, [&](int h, int g, int row, int column) {
      const bool in_columns = column >= via && column < via + width && row >= via;
      const bool in_rows = row >= via && row < via + width && column >= via + width;
      if (in_columns) {
#pragma unroll
        for (int c = 0; c < wide; ++c) {
          T* const place = shown + At::columns + (column + c - via) * tile + row;
          alignas(pack_bytes<T>) T some[wide];
          if (!to_scratch) copy_pack<wide>(some, place);
#pragma unroll
          for (int r = 0; r < wide; ++r) {
            if (to_scratch) {
              some[r] = own[h + r][g + c];
            } else {
              own[h + r][g + c] = some[r];
            }
          }
          if (to_scratch) copy_pack<wide>(place, some);
        }
      }
      if (in_rows) {
#pragma unroll
        for (int r = 0; r < wide; ++r) {
          T* const place = shown + At::rows + (row + r - via) * tile + column;
          if (to_scratch) {
            copy_pack<wide>(place, own[h + r] + g);
          } else {
            copy_pack<wide>(own[h + r] + g, place);
          }
        }
      }
    });
  }
  KOKKOS_FUNCTION static void take_products(T (&own)[rows][cols], int item, int via,
                                            const T* shown) {
    each_square(item, [&](int h, int g, int row, int column) {
      if (row < via + width || column < via + width) return;
#pragma unroll 8
      for (int m = 0; m < width; ++m) {
        alignas(pack_bytes<T>) T times[wide], from[wide];
        copy_pack<wide>(times, shown + At::columns + m * tile + row);
        copy_pack<wide>(from, shown + At::rows + m * tile + column);
#pragma unroll
        for (int r = 0; r < wide; ++r) {
#pragma unroll
          for (int c = 0; c < wide; ++c) {
            own[h + r][g + c] = eliminate(own[h + r][g + c], times[r], from[c]);
          }
        }
      }
    });
  }
};

}  // namespace portcost::gauss
