// SPDX-License-Identifier: Apache-2.0
// What CUDA's kernels and the tuned kernels do alike. An item is a thread of a block, or an item of
// a team's range.
#pragma once

#include "variants/heat2d/problem.hpp"

namespace portcost::heat2d {

PORTCOST_HOST_DEVICE constexpr int lesser(int a, int b) { return b < a ? b : a; }
PORTCOST_HOST_DEVICE constexpr int greater(int a, int b) { return a < b ? b : a; }

/// An index brought into [0, count), unless the tile is known to lie inside the grid.
template <bool inside>
PORTCOST_HOST_DEVICE inline int bounded(int i, int count) {
  return inside ? i : lesser(greater(i, 0), count - 1);
}

/// `rows` rows of one item, from the node at `tile` in a tile with halo.
template <bool inside, int rows, class T>
PORTCOST_HOST_DEVICE void compute_from_tile(const Step<T>& s, const T* tile, int x, int y0) {
  if (!inside && x >= s.nx) return;
  T north = tile[-halo_x], centre = tile[0];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int y = y0 + r;
    const T south = tile[(r + 1) * halo_x];
    if (inside || y < s.ny) {
      const T next =
          heat_step(s.c, centre, tile[r * halo_x - 1], tile[r * halo_x + 1], north, south);
      s.row_out(y)[x] = !inside && s.on_edge(x, y) ? centre : next;
    }
    north = centre;
    centre = south;
  }
}

/// The same from the ring: `rows` points at the ring's row above the item's first.
template <bool inside, class T>
PORTCOST_HOST_DEVICE void compute_from_ring(const Step<T>& s, const T* rows, int x, int y0) {
  if (!inside && x >= s.nx) return;
  const int west = ring_slot(x - 1), here = ring_slot(x), east = ring_slot(x + 1);
  T north = rows[here], centre = rows[ring_x + here];
#pragma unroll
  for (int r = 0; r < rows_a_thread; ++r) {
    const int y = y0 + r;
    const T* const row = rows + (r + 1) * ring_x;
    const T south = row[ring_x + here];
    if (inside || y < s.ny) {
      const T next = heat_step(s.c, centre, row[west], row[east], north, south);
      s.row_out(y)[x] = !inside && s.on_edge(x, y) ? centre : next;
    }
    north = centre;
    centre = south;
  }
}

/// full_halo: loads an item's part of the tile with its halo.
template <bool inside, class Block, class T>
PORTCOST_HOST_DEVICE void load_with_halo(const Step<T>& s, T* tile, int item, int x0, int y0) {
  T loaded[Block::loads];
#pragma unroll
  for (int k = 0; k < Block::loads; ++k) {
    const int node = lesser(item + k * Block::full, halo_nodes - 1);
    const int ly = node / halo_x, lx = node - ly * halo_x;
    loaded[k] = s.row_in(bounded<inside>(y0 - 1 + ly, s.ny))[bounded<inside>(x0 - 1 + lx, s.nx)];
  }
#pragma unroll
  for (int k = 0; k < Block::loads; ++k) {
    const int node = item + k * Block::full;
    if (node < halo_nodes) tile[node] = loaded[k];
  }
}

/// full_halo: the nodes of thread (tx, ty).
template <bool inside, class Block, class T>
PORTCOST_HOST_DEVICE void compute_in_halo(const Step<T>& s, const T* tile, int tx, int ty, int x0,
                                          int y0) {
  constexpr int halo = Block::full_x > lanes ? 1 : 0;
  const int lx = tx - halo, ly = ty * Block::rows - halo;
  if (halo == 1 && (lx < 0 || lx >= tile_x || ly < 0 || ly >= tile_y)) return;
  compute_from_tile<inside, Block::rows>(s, tile + (ly + 1) * halo_x + lx + 1, x0 + lx, y0 + ly);
}

/// register_march: an item reads 16 bytes a row from x on, keeps the rows above and below in
/// registers while it marches down from y0, and takes the two nodes beside its own from the first
/// cache.
template <class T>
PORTCOST_HOST_DEVICE void march(const Step<T>& s, int x, int y0) {
  constexpr int columns = march_columns<T>;
  if (x >= s.nx) return;
  Wide<T> row[march_rows + 2];
  T west[march_rows], east[march_rows];
#pragma unroll
  for (int r = 0; r < march_rows + 2; ++r) {
    row[r] = *reinterpret_cast<const Wide<T>*>(s.row_in(bounded<false>(y0 - 1 + r, s.ny)) + x);
  }
#pragma unroll
  for (int r = 0; r < march_rows; ++r) {
    const T* const in = s.row_in(bounded<false>(y0 + r, s.ny));
    west[r] = in[greater(x - 1, 0)];
    east[r] = in[lesser(x + columns, s.nx - 1)];
  }
#pragma unroll
  for (int r = 0; r < march_rows; ++r) {
    const int y = y0 + r;
    if (y >= s.ny) break;
    Wide<T> next;
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const T w = j == 0 ? west[r] : row[r + 1].at[j == 0 ? 0 : j - 1];
      const T e = j == columns - 1 ? east[r] : row[r + 1].at[j == columns - 1 ? 0 : j + 1];
      const T centre = row[r + 1].at[j];
      const T moved = heat_step(s.c, centre, w, e, row[r].at[j], row[r + 2].at[j]);
      next.at[j] = s.on_edge(x + j, y) ? centre : moved;
    }
    *reinterpret_cast<Wide<T>*>(s.row_out(y) + x) = next;
  }
}

}  // namespace portcost::heat2d
