// SPDX-License-Identifier: Apache-2.0
// Portable kernels of panel and look_ahead on a GPU: products of tiles. A team's items have
// elements in registers; what others need lies in scratch. (Where one thread has the tile:
// host.hpp.)
#pragma once

#include "variants/gauss/kokkos/scratch.hpp"

namespace portcost::gauss {

/// The tiles of a region less the products over its columns, a tile a team.
template <class Shape, class T, Way way>
struct Product {
  using On = Teams<way, Shape::warps, Shape::teams, Lanes::one>;
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols;
  static constexpr int items = Shape::threads, most = On::most_own(items);
  static constexpr int slice = Shape::slice, pack = Shape::pack;
  static constexpr int high = Shape::group_y, wide = Shape::group_x;
  System<T> s;
  Region region;

  static constexpr int scratch() { return scratch_bytes<T>(Shape::scratch + aligned_extra<T>); }

  // What an item loads of each slice: of a row of multipliers, and of a row of U.
  struct Fetched {
    const T *left_from, *right_from;
    alignas(pack_bytes) T left[pack], right[pack];
  };
  KOKKOS_FUNCTION void begin(Fetched& of, int item, Tile at) const {
    const int via = region.columns.first;
    const int line = item / (slice / pack), column = item % (slice / pack) * pack;
    of.left_from = s.row(at.row * tile + line) + via + column;
    const int below = item / (tile / pack), across = item % (tile / pack) * pack;
    of.right_from = s.row(via + below) + at.col * tile + across;
  }
  // The next slice.
  KOKKOS_FUNCTION void fetch(Fetched& to) const {
    copy_pack<T, pack>(to.left, to.left_from);
    copy_pack<T, pack>(to.right, to.right_from);
    to.left_from += slice;
    to.right_from += s.offset(slice);
  }
  KOKKOS_FUNCTION static void show(const Fetched& from, int item, T* left, T* right) {
    const int line = item / (slice / pack), column = item % (slice / pack) * pack;
#pragma unroll
    for (int e = 0; e < pack; ++e) left[(column + e) * Shape::left_pitch + line] = from.left[e];
    const int below = item / (tile / pack), across = item % (tile / pack) * pack;
    copy_pack<T, pack>(right + below * tile + across, from.right);
  }
  // An item's elements over the columns of one slice. What the next column needs is loaded before
  // the work of one. Two a trip: in longer ones nvcc has too few registers in f32.
  KOKKOS_FUNCTION static void take_slice(T (&own)[rows][cols], int item, const T* left,
                                         const T* right) {
    const int x = Shape::x_of(item), y = Shape::y_of(item);
    alignas(pack_bytes) T times[2][rows], from[2][cols];
    const auto load = [&](int m, int place) {
#pragma unroll
      for (int r = 0; r < rows; r += high) {
        copy_pack<T, high>(times[place] + r, left + m * Shape::left_pitch + Shape::row_of(y, r));
      }
#pragma unroll
      for (int c = 0; c < cols; c += wide) {
        copy_pack<T, wide>(from[place] + c, right + m * tile + Shape::col_of(x, c));
      }
    };
    const auto take_two = [&](int m, bool last) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        if (!last || e == 0) load(m + e + 1, e ^ 1);
#pragma unroll
        for (int r = 0; r < rows; ++r) {
#pragma unroll
          for (int c = 0; c < cols; ++c) {
            own[r][c] = eliminate(own[r][c], times[e][r], from[e][c]);
          }
        }
      }
    };
    load(0, 0);
#pragma unroll 1
    for (int m = 0; m < slice - 2; m += 2) take_two(m, false);
    take_two(slice - 2, true);
  }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    const Tile at = region.at(team.league_rank());
    T* const left = aligned_scratch<On, T>(team, Shape::scratch);
    T* const right = left + 2 * Shape::left_slice;
    T own[most][rows][cols];
    Fetched fetched[most];
    On::template for_own<items>(team, [&](int item, int mine) {
      begin(fetched[mine], item, at);
      fetch(fetched[mine]);
      load(own[mine], item, at);
      show(fetched[mine], item, left, right);
    });
    team.team_barrier();
    const int steps = (region.columns.end - region.columns.first) / slice;
    for (int step = 0; step < steps; ++step) {
      const int now = step & 1, later = now ^ 1;
      const bool more = step + 1 < steps;
      On::template for_own<items>(team, [&](int item, int mine) {
        if (more) fetch(fetched[mine]);
        take_slice(own[mine], item, left + now * Shape::left_slice,
                   right + now * Shape::right_slice);
        if (more) {
          show(fetched[mine], item, left + later * Shape::left_slice,
               right + later * Shape::right_slice);
        }
      });
      team.team_barrier();
    }
    On::template for_own<items>(team, [&](int item, int mine) { store(own[mine], item, at); });
  }

  KOKKOS_FUNCTION T* place(int item, Tile at, int r, int c) const {
    return s.row(at.row * tile + Shape::row_of(Shape::y_of(item), r)) + at.col * tile +
           Shape::col_of(Shape::x_of(item), c);
  }
  KOKKOS_FUNCTION void load(T (&own)[rows][cols], int item, Tile at) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int c = 0; c < cols; c += wide) copy_pack<T, wide>(own[r] + c, place(item, at, r, c));
    }
  }
  KOKKOS_FUNCTION void store(const T (&own)[rows][cols], int item, Tile at) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int c = 0; c < cols; c += wide) copy_pack<T, wide>(place(item, at, r, c), own[r] + c);
    }
  }
};

}  // namespace portcost::gauss
