// SPDX-License-Identifier: Apache-2.0
// What overlapped does alike in CUDA and in the tuned form.
#pragma once

#include "variants/heat2d_steps/problem.hpp"

namespace portcost::heat2d_steps {

/// Advances 16 bytes of tile_rows rows by a step and writes them to tile `next`. Node (ly, lx) of a
/// tile is node (y, x) of the grid; row_now(ly): row ly before the step, -1 <= ly <= tile_y.
template <class T>
PORTCOST_FORCEINLINE void advance_part(const Pass<T>& s, const auto& row_now, T* next, int lx,
                                       int ly, int x, int y) {
  constexpr int wide = tile_x<T>;
  const auto least = [](int a, int b) { return b < a ? b : a; };  // std's are not for devices
  const auto most = [](int a, int b) { return a < b ? b : a; };
  const auto row = [&](int r) { return *reinterpret_cast<const Wide<T>*>(row_now(r) + lx); };
  Wide<T> north = row(ly - 1), centre = row(ly);
#pragma unroll
  for (int r = 0; r < tile_rows; ++r) {
    const Wide<T> south = row(ly + r + 1);
    const T* const at = row_now(ly + r);
    const T west = at[most(lx - 1, 0)], east = at[least(lx + piece<T>, wide - 1)];
    Wide<T> result;
#pragma unroll
    for (int j = 0; j < piece<T>; ++j) {
      const T w = j == 0 ? west : centre.at[j == 0 ? 0 : j - 1];
      const T e = j == piece<T> - 1 ? east : centre.at[j == piece<T> - 1 ? 0 : j + 1];
      const T moved = heat_step(s.c, centre.at[j], w, e, north.at[j], south.at[j]);
      result.at[j] = s.on_edge(x + j, y + r) ? centre.at[j] : moved;
    }
    *reinterpret_cast<Wide<T>*>(next + (ly + r) * wide + lx) = result;
    north = centre;
    centre = south;
  }
}

/// The rows of one tile. Beyond its ends the tile repeats its last row, which no valid part needs.
template <class T>
PORTCOST_FORCEINLINE auto rows_of(const T* tile) {
  return [=](int ly) { return tile + (ly < 0 ? 0 : ly < tile_y ? ly : tile_y - 1) * tile_x<T>; };
}

}  // namespace portcost::heat2d_steps
