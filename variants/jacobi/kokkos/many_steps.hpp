// SPDX-License-Identifier: Apache-2.0
// Several sweeps a pass over memory. A team walks down a band of rows, 16 bytes an item and row.
// With each new row, each level (the grid after so many sweeps) advances by one row; its north and
// south are in registers. West and east of an item's columns come from scratch, where each item
// stored the first and the last column of its previous row of every level: one barrier a row.
#pragma once

#include "variants/jacobi/bodies.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::jacobi {

template <class T, int depth>
struct ManySteps {
  using Shape = ManyShape<T, depth>;
  using On = Teams<many_warps, Shape::teams, Lanes::one>;
  using Member = typename On::Member;
  static constexpr int columns = piece<T>, most_own = On::most_own(many_threads);
  Sweep<T> s;
  TileGrid tiles;
  int height;

  /// The first column of a tile, halo included, and its rows [y0, y1).
  struct Tile {
    int x0, y0, y1;
  };
  /// An item's columns. beta is 0 for columns of the frame and beyond, which do not change. Of each
  /// level but the last it has the two most recent rows, and for each of these rows the right
  /// side's addend. Two rows of both grids are prefetched.
  struct Own {
    T beta[columns];
    Wide<T> row[depth][2], source[depth];
    Wide<T> next_in[2], next_right[2];
  };

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    On::begin(team);
    const int ty = tiles.row(team.league_rank()), tx = tiles.column(team.league_rank(), ty);
    const int x0 = tx * Shape::columns - Shape::halo, y0 = ty * height;
    const int rows = s.rows - y0 < height ? s.rows - y0 : height;
    T* const scratch = On::template scratch<T>(team, Shape::scratch_elements);
    if (x0 < 0 || x0 > s.columns - many_threads * columns) {
      work<true>(team, Tile{x0, y0, y0 + rows}, scratch);
    } else {
      work<false>(team, Tile{x0, y0, y0 + rows}, scratch);
    }
  }

  template <bool sides>
  KOKKOS_FUNCTION void work(const Member& team, const Tile& tile, T* scratch) const {
    Own own[most_own] = {};
    const int first = tile.y0 - depth;
    On::template for_own<many_threads>(team, [&](int item, int k) {
      for (int j = 0; j < columns; ++j) {
        own[k].beta[j] = s.inside(0, tile.x0 + item * columns + j) ? s.c.beta : T(0);
      }
      for (int t = 0; t < 2 * depth; ++t) scratch[t * many_threads + item] = 0;
      for (int ahead = 0; ahead < 2; ++ahead) {
        own[k].next_in[ahead] = load<true>(s.in, tile, item, first + ahead);
        own[k].next_right[ahead] = load<true>(s.right_side, tile, item, first + ahead);
      }
    });
    team.team_barrier();
    for (int y = first; y < tile.y1 + depth; y += Shape::unrolled) {
      if (y >= depth && y < s.rows - Shape::unrolled) {
        advance_all<sides, false>(team, tile, own, scratch, y);
      } else {
        advance_all<sides, true>(team, tile, own, scratch, y);
      }
    }
  }

  template <bool sides, bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void advance_all(const Member& team, const Tile& tile, Own* own,
                                               T* scratch, int y) const {
#pragma unroll
    for (int turn = 0; turn < Shape::unrolled; ++turn) {
      On::template for_own<many_threads>(team, [&](int item, int k) {
        advance<sides, ends>(tile, own[k], scratch, item, y + turn, turn);
      });
      team.team_barrier();
    }
  }

  // Row y of the grid, the `turn`-th of the unrolled rows, has arrived: level t + 1 computes its
  // row y - 1 - t. `sides`: some columns are not inside; their source is their value, and the grid
  // beyond the frame is 0. `ends`: some rows are not inside.
  template <bool sides, bool ends>
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Tile& tile, Own& own, T* scratch, int item, int y,
                                           int turn) const {
    const int now = turn & 1, x = tile.x0 + item * columns;
    const int west = (item > 0 ? item - 1 : 0) + many_threads;
    const int east = item < many_threads - 1 ? item + 1 : item;
    const T* const before = scratch + now * Shape::half_elements;
    T* const after = scratch + (1 - now) * Shape::half_elements;
    Wide<T> south = own.next_in[now], added = own.next_right[now];
    own.next_in[now] = load<ends>(s.in, tile, item, y + 2);
    own.next_right[now] = load<ends>(s.right_side, tile, item, y + 2);
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      if (sides && (x + j < -1 || x + j > s.columns)) south.at[j] = 0;
      added.at[j] = sides && own.beta[j] == 0 ? south.at[j] : source(s.c, added.at[j]);
    }
#pragma unroll
    for (int t = 0; t < depth; ++t) {
      const int at = t * Shape::level_elements;
      const Wide<T> next = relaxed_piece<sides, ends>(
          s, own.beta, own.row[t][now], own.row[t][1 - now], south, before[at + west],
          before[at + east], own.source[(turn + depth - 1 - t) % depth], y - 1 - t);
      own.row[t][now] = south;
      after[at + item] = south.at[0];
      after[at + many_threads + item] = south.at[columns - 1];
      south = next;
    }
    own.source[turn % depth] = added;
    const int done = y - depth;
    if (stores(item, x) && done >= tile.y0 && done < tile.y1) {
      *reinterpret_cast<Wide<T>*>(s.row_out(done) + x) = south;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION bool stores(int item, int x) const {
    return item >= Shape::halo_threads && item < many_threads - Shape::halo_threads &&
           x < s.columns;
  }

  // An item's columns of row y, limited to the grid.
  template <bool ends>
  KOKKOS_FORCEINLINE_FUNCTION Wide<T> load(const T* grid, const Tile& tile, int item, int y) const {
    const int x = clamped(tile.x0 + item * columns, -Shape::halo, s.columns / columns * columns);
    const int row = ends ? clamped(y, -1, s.rows) : y;
    return *reinterpret_cast<const Wide<T>*>(grid + s.offset(row) + x);
  }
};

struct ManyStepsShape {
  /// A pass of 1, 2, 4 or 8 sweeps.
  template <int depth = most_depth, class T>
  static void pass(const Sweep<T>& s, int sweeps, int processors, const Stream& stream) {
    if constexpr (depth > 1) {
      if (sweeps < depth) return pass<depth / 2>(s, sweeps, processors, stream);
    }
    using Made = ManySteps<T, depth>;
    using Shape = ManyShape<T, depth>;
    const int strips = ceil_div(s.columns, Shape::columns);
    const int height = many_rows(s.rows, strips, processors * Shape::teams, Shape::unrolled);
    const TileGrid tiles{strips, ceil_div(s.rows, height)};
    Kokkos::parallel_for("portcost::jacobi::many_steps",
                         Made::On::policy(stream, tiles, scratch_bytes<T>(Shape::scratch_elements)),
                         Made{s, tiles, height});
  }
};

}  // namespace portcost::jacobi
