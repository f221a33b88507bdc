// SPDX-License-Identifier: Apache-2.0
// What CUDA's kernel and the tuned kernel of stream_y do alike with rows in registers.
#pragma once

#include "variants/heat2d_steps/problem.hpp"

namespace portcost::heat2d_steps {

/// Three rows of each time level below `steps`, in a lane's columns.
template <class T, int steps>
struct Levels {
  T row[steps][3][own];

  /// Row y of the input arrives in `turn`, which is y modulo 3 up to a constant, and each level
  /// advances by a row: level k to row y - k, the last to `done`. west(right column) and
  /// east(left column) return the columns of the lanes beside this one. `inside`: nothing computed
  /// lies on the edge of the grid.
  template <bool inside, int turn, class West, class East>
  PORTCOST_HOST_DEVICE void advance(const Pass<T>& p, int x, int y, const West& west,
                                    const East& east, T (&done)[own]) {
#pragma unroll
    for (int k = 1; k <= steps; ++k) {
      const auto& north = row[k - 1][(turn + 1) % 3];
      const auto& here = row[k - 1][(turn + 2) % 3];
      const auto& south = row[k - 1][turn];
      const T left = west(here[own - 1]), right = east(here[0]);
      const bool edge = !inside && (y <= k || y >= p.ny - 1 + k);
      T next[own];
#pragma unroll
      for (int j = 0; j < own; ++j) {
        const T w = j == 0 ? left : here[j == 0 ? 0 : j - 1];
        const T e = j == own - 1 ? right : here[j == own - 1 ? 0 : j + 1];
        next[j] = heat_step(p.c, here[j], w, e, north[j], south[j]);
        if (!inside && (edge || x + j <= 0 || x + j >= p.nx - 1)) next[j] = here[j];
      }
#pragma unroll
      for (int j = 0; j < own; ++j) (k == steps ? done[j] : row[k % steps][turn][j]) = next[j];
    }
  }
};

/// A piece's next temperatures. `west` and `east`: the columns beside it.
template <class T>
PORTCOST_HOST_DEVICE Wide<T> next_piece(const Pass<T>& p, bool edge, int x, int y, T west, T east,
                                        const Wide<T>& north, const Wide<T>& here,
                                        const Wide<T>& south) {
  Wide<T> next;
#pragma unroll
  for (int j = 0; j < piece<T>; ++j) {
    const T w = j == 0 ? west : here.at[j == 0 ? 0 : j - 1];
    const T e = j == piece<T> - 1 ? east : here.at[j == piece<T> - 1 ? 0 : j + 1];
    next.at[j] = heat_step(p.c, here.at[j], w, e, north.at[j], south.at[j]);
    if (edge && p.on_edge(x + j, y)) next.at[j] = here.at[j];
  }
  return next;
}

}  // namespace portcost::heat2d_steps
