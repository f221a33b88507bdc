// SPDX-License-Identifier: Apache-2.0
// Portable kernels of panel and look_ahead on a GPU: closing a tile, solving for the tiles of its
// cross, and products for all others. A team's items have elements in registers; what others need
// lies in scratch. (Where one thread has the tile: host.hpp.)
#pragma once

#include "variants/gauss/problem.hpp"
#include "variants/kokkos_tiles.hpp"

namespace portcost::gauss {

/// An item's elements of a tile, to registers or back.
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

/// Closes tile (k, k). Every item keeps its elements in registers; for each column in turn those
/// who have its pivot's row show it, those who have the column divide it and show it, and all take
/// their products. The row is shown in one of two places in turns, because others may still read
/// the one before. Where a row or column is done, what is shown of it is 0, which changes nothing.
template <class Shape, class T, Way way>
struct CloseTile {
  using On = Teams<way, Shape::warps, 1, Lanes::one>;
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols;
  static constexpr int items = Shape::threads, most = On::most_own(items);
  static constexpr int high = Shape::group_y, wide = Shape::group_x;
  System<T> s;
  int k;

  static constexpr int scratch() {
    return scratch_bytes<T>(Shape::close_scratch + aligned_extra<T>);
  }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const shown = aligned_scratch<On, T>(team, Shape::close_scratch);
    T* const column = shown + 2 * tile;
    T* const pivots = column + tile;
    T own[most][rows][cols];
    On::template for_own<items>(team, [&](int item, int mine) {
      load_tile<Shape>(own[mine], s, {k, k}, item);
    });
    for (int some = 0; some < tile; some += high) {
#pragma unroll
      for (int e = 0; e < high; ++e) {
        const int via = some + e;
        T* const row = shown + (e & 1) * tile;
        On::template for_own<items>(
            team, [&](int item, int mine) { show_row(own[mine], item, via, e, row, pivots); });
        team.team_barrier();
        const T pivot = pivots[e & 1];
        if (s.refuses(pivot)) {
          if (team.team_rank() == 0) *s.bad_pivot = k * tile + via;
          return;
        }
        On::template for_own<items>(
            team, [&](int item, int mine) { divide(own[mine], item, via, e, pivot, column); });
        team.team_barrier();
        On::template for_own<items>(
            team, [&](int item, int mine) { update(own[mine], item, via, row, column); });
      }
    }
    On::template for_own<items>(team, [&](int item, int mine) {
      store_tile<Shape>(own[mine], s, {k, k}, item);
    });
  }

  // e: the place of row `via` in its group.
  KOKKOS_FUNCTION static void show_row(const T (&own)[rows][cols], int item, int via, int e, T* row,
                                       T* pivots) {
    const int x = Shape::x_of(item), y = Shape::y_of(item);
#pragma unroll
    for (int r = e; r < rows; r += high) {
      if (Shape::row_of(y, r) != via) continue;
#pragma unroll
      for (int c = 0; c < cols; ++c) {
        const int at = Shape::col_of(x, c);
        row[at] = at > via ? own[r][c] : T(0);
        if (at == via) pivots[e & 1] = own[r][c];
      }
    }
  }
  KOKKOS_FUNCTION static void divide(T (&own)[rows][cols], int item, int via, int e, T pivot,
                                     T* column) {
    static_assert(high == wide);
    const int x = Shape::x_of(item), y = Shape::y_of(item);
#pragma unroll
    for (int c = e; c < cols; c += wide) {
      if (Shape::col_of(x, c) != via) continue;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        const int at = Shape::row_of(y, r);
        if (at > via) own[r][c] = multiplier(own[r][c], pivot);
        column[at] = at > via ? own[r][c] : T(0);
      }
    }
  }
  KOKKOS_FUNCTION static void update(T (&own)[rows][cols], int item, int via, const T* row,
                                     const T* column) {
    const int x = Shape::x_of(item), y = Shape::y_of(item);
    alignas(pack_bytes<T>) T from[cols];
#pragma unroll
    for (int c = 0; c < cols; c += wide) copy_pack<wide>(from + c, row + Shape::col_of(x, c));
#pragma unroll
    for (int some = 0; some < rows; some += high) {
      if (Shape::row_of(y, some + high - 1) <= via) continue;
      alignas(pack_bytes<T>) T times[high];
      copy_pack<high>(times, column + Shape::row_of(y, some));
#pragma unroll
      for (int r = 0; r < high; ++r) {
#pragma unroll
        for (int c = 0; c < cols; ++c) {
          own[some + r][c] = eliminate(own[some + r][c], times[r], from[c]);
        }
      }
    }
  }
};

/// The cross of tile (k, k), a tile a team and a line of it an item: a column of a tile beside it,
/// a row of one below it. A chunk of the line lies in registers; the coefficients that it needs of
/// the closed tile in scratch, a row for each element that is known already.
template <class T, Way way>
struct SolveCross {
  using On = Teams<way, solve_warps, 1, Lanes::one>;
  static constexpr int tile = panel_tile, chunk = solve_chunk, items = tile;
  static constexpr int wide = 4;
  System<T> s;
  Region region;
  int k;

  static constexpr int scratch() { return scratch_bytes<T>(solve_scratch + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    const Tile at = region.at(team.league_rank());
    T* const shown = aligned_scratch<On, T>(team, solve_scratch);
    const bool beside = at.row == k;
    for (int begin = 0; begin < tile; begin += chunk) {
      if (begin > 0) team.team_barrier();
      On::template for_own<items>(team, [&](int item, int) { show(shown, item, begin, beside); });
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int) {
        if (beside) {
          solve_column(shown, at.col * tile + item, begin);
        } else {
          solve_row(shown, at.row * tile + item, begin);
        }
      });
    }
  }

  // shown[m][e]: what element `begin` + e takes of element m <= begin + e.
  KOKKOS_FUNCTION void show(T* shown, int item, int begin, bool beside) const {
    const int first = k * tile, end = begin + chunk;
    for (int index = item; index < end * chunk; index += items) {
      const int part = index % chunk, rest = index / chunk;
      if (beside) {
        const int m = rest / chunk * chunk + part, e = rest % chunk;
        shown[m * solve_pitch + e] = s.row(first + begin + e)[first + m];
      } else {
        shown[rest * solve_pitch + part] = s.row(first + rest)[first + begin + part];
      }
    }
  }
  KOKKOS_FUNCTION static void take(T (&line)[chunk], T known, const T* shown) {
#pragma unroll
    for (int e = 0; e < chunk; e += wide) {
      alignas(pack_bytes<T>) T some[wide];
      copy_pack<wide>(some, shown + e);
#pragma unroll
      for (int w = 0; w < wide; ++w) line[e + w] = eliminate(line[e + w], known, some[w]);
    }
  }
  KOKKOS_FUNCTION void solve_column(const T* shown, int j, int begin) const {
    T* const column = s.row(k * tile) + j;
    T line[chunk];
#pragma unroll
    for (int e = 0; e < chunk; ++e) line[e] = column[s.offset(begin + e)];
#pragma unroll 4
    for (int m = 0; m < begin; ++m) take(line, column[s.offset(m)], shown + m * solve_pitch);
#pragma unroll
    for (int m = 0; m < chunk; ++m) {
#pragma unroll
      for (int e = m + 1; e < chunk; ++e) {
        line[e] = eliminate(line[e], line[m], shown[(begin + m) * solve_pitch + e]);
      }
    }
#pragma unroll
    for (int e = 0; e < chunk; ++e) column[s.offset(begin + e)] = line[e];
  }
  KOKKOS_FUNCTION void solve_row(const T* shown, int i, int begin) const {
    T* const row = s.row(i) + k * tile;
    alignas(pack_bytes<T>) T line[chunk];
#pragma unroll
    for (int e = 0; e < chunk; e += wide) copy_pack<wide>(line + e, row + begin + e);
    for (int m = 0; m < begin; m += wide) {
      alignas(pack_bytes<T>) T known[wide];
      copy_pack<wide>(known, row + m);
#pragma unroll
      for (int w = 0; w < wide; ++w) take(line, known[w], shown + (m + w) * solve_pitch);
    }
#pragma unroll
    for (int m = 0; m < chunk; ++m) {
      line[m] = multiplier(line[m], shown[(begin + m) * solve_pitch + m]);
#pragma unroll
      for (int e = m + 1; e < chunk; ++e) {
        line[e] = eliminate(line[e], line[m], shown[(begin + m) * solve_pitch + e]);
      }
    }
#pragma unroll
    for (int e = 0; e < chunk; e += wide) copy_pack<wide>(row + begin + e, line + e);
  }
};

/// The tiles of a region less the products over its columns, a tile a team.
template <class Shape, class T, Way way>
struct Product {
  using On = Teams<way, Shape::warps, Shape::teams, Lanes::one>;
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols;
  static constexpr int items = Shape::threads, most = On::most_own(items);
  System<T> s;
  Region region;

  static constexpr int scratch() { return scratch_bytes<T>(Shape::scratch + aligned_extra<T>); }

  // An item's elements over the columns of one slice. Two a trip: in longer ones nvcc has too few
  // registers in f32.
  KOKKOS_FUNCTION static void take_slice(T (&own)[rows][cols], int item, const T* left,
                                         const T* right) {
    for_slice<Shape, 2>(item, left, right, [&](int, const T* times, const T* from) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int c = 0; c < cols; ++c) own[r][c] = eliminate(own[r][c], times[r], from[c]);
      }
    });
  }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    const Tile at = region.at(team.league_rank());
    T* const left = aligned_scratch<On, T>(team, Shape::scratch);
    T* const right = left + 2 * Shape::left_slice;
    T own[most][rows][cols];
    Loads<Shape, T> loads[most];
    On::template for_own<items>(team, [&](int item, int mine) {
      loads[mine].begin(s, item, at, region.columns.first);
      loads[mine].fetch(s);
      load_tile<Shape>(own[mine], s, at, item);
      loads[mine].show(item, left, right);
    });
    team.team_barrier();
    const int steps = (region.columns.end - region.columns.first) / Shape::slice;
    for (int step = 0; step < steps; ++step) {
      const int now = step & 1, later = now ^ 1;
      const bool more = step + 1 < steps;
      On::template for_own<items>(team, [&](int item, int mine) {
        if (more) loads[mine].fetch(s);
        take_slice(own[mine], item, left + now * Shape::left_slice,
                   right + now * Shape::right_slice);
        if (more) {
          loads[mine].show(item, left + later * Shape::left_slice,
                           right + later * Shape::right_slice);
        }
      });
      team.team_barrier();
    }
    On::template for_own<items>(
        team, [&](int item, int mine) { store_tile<Shape>(own[mine], s, at, item); });
  }
};

}  // namespace portcost::gauss
