// SPDX-License-Identifier: Apache-2.0
// What CUDA's and the tuned kernels do alike. An item is a thread of a block, or an item of a
// team's range.
#pragma once

#include "variants/heat2d/problem.hpp"

namespace portcost::heat2d {

// Four rows of one item, from the node at `tile` in a tile with halo.
template <bool inside, class T>
PORTCOST_HOST_DEVICE void compute_from_tile(const Step<T>& s, const T* tile, int x, int y0) {
  if (!inside && x >= s.nx) return;
  T north = tile[-halo_x], centre = tile[0];
#pragma unroll
  for (int r = 0; r < rows_a_thread; ++r) {
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

// The same from the ring: `rows` points at the ring's row above the item's first.
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

}  // namespace portcost::heat2d
