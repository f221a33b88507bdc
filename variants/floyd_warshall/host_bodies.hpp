// SPDX-License-Identifier: Apache-2.0
// What OpenMP's code and the tuned kernels do alike on a host, where a thread has a row or a tile.
#pragma once

#include <algorithm>

#include "variants/floyd_warshall/problem.hpp"

namespace portcost::floyd_warshall {

/// Relaxes columns first .. first + count - 1 of row i over vertex `middle`, which is not i.
template <bool paths, class T>
void relax_row(const Graph<T>& g, int i, int middle, int first, int count) {
  T* const row = g.row(i) + first;
  const T* const from = g.row(middle) + first;
  [[maybe_unused]] int* const next = paths ? g.next_row(i) + first : nullptr;
  const T to = g.row(i)[middle];
  [[maybe_unused]] const int hop = paths ? g.next_row(i)[middle] : 0;
#pragma omp simd
  for (int j = 0; j < count; ++j) {
    if constexpr (paths) {
      const T over = to + from[j];
      const bool shorter = over < row[j];
      row[j] = shorter ? over : row[j];
      next[j] = shorter ? hop : next[j];
    } else {
      row[j] = relax(row[j], to, from[j]);
    }
  }
}

/// Stores vertex k in `negative` if it lies on a negative cycle; no path over it is relaxed.
template <class T>
bool negative_at(const Graph<T>& g, int k) {
  if (!(g.row(k)[k] < 0)) return false;
  if (*g.negative < 0) *g.negative = k;
  return true;
}

/// Closes tile (k, k) of `tile` rows, in place: its own paths are then final.
template <bool paths, int tile, class T>
void close_tile(const Graph<T>& g, int k) {
  const int first = k * tile;
  for (int middle = first; middle < first + tile; ++middle) {
    if (negative_at(g, middle)) continue;
    for (int i = first; i < first + tile; ++i) {
      if (i != middle) relax_row<paths>(g, i, middle, first, tile);
    }
  }
}

/// Relaxes a tile over the vertices of tiles [k, k + depth), row by row. Rows of a tile of the
/// cross read each other, or themselves, while they change: the values read are then only shorter.
template <bool paths, int tile, class T>
[[gnu::noinline]] void product_by_rows(const Graph<T>& g, Tile at, int k, int depth) {
  for (int i = at.row * tile; i < (at.row + 1) * tile; ++i) {
    for (int middle = k * tile; middle < (k + depth) * tile; ++middle) {
      if (i != middle) relax_row<paths>(g, i, middle, at.col * tile, tile);
    }
  }
}

/// Relaxes a block of elements in registers over `tile` vertices. `packed`: the vertices' rows in
/// the block's columns, one after another. Not inlined: within the loops around it, gcc has no
/// register for each row's address.
template <bool paths, int tile, class T>
[[gnu::noinline]] void register_block(const Graph<T>& g, int i, int j, int first, const T* packed) {
  constexpr int height = host_block_rows<paths>;
  T best[height][host_cols];
  int middle[height][host_cols];
  for (int r = 0; r < height; ++r) {
    for (int c = 0; c < host_cols; ++c) {
      best[r][c] = g.row(i + r)[j + c];
      if constexpr (paths) middle[r][c] = -1;
    }
  }
  const T* rows[height];
  for (int r = 0; r < height; ++r) rows[r] = g.row(i + r) + first;
  for (int k = 0; k < tile; ++k) {
#pragma GCC unroll 4
    for (int r = 0; r < height; ++r) {
      const T to = rows[r][k];
#pragma omp simd
      for (int c = 0; c < host_cols; ++c) {
        if constexpr (paths) {
          const T over = to + packed[k * host_cols + c];
          const bool shorter = over < best[r][c];
          best[r][c] = shorter ? over : best[r][c];
          middle[r][c] = shorter ? k : middle[r][c];
        } else {
          best[r][c] = relax(best[r][c], to, packed[k * host_cols + c]);
        }
      }
    }
  }
  for (int r = 0; r < height; ++r) {
    if constexpr (paths) {
      int* const next = g.next_row(i + r);
      int hops[host_cols];
      for (int c = 0; c < host_cols; ++c) {
        hops[c] = middle[r][c] < 0 ? next[j + c] : next[first + middle[r][c]];
      }
      std::copy_n(hops, host_cols, next + j);
    }
    std::copy_n(best[r], host_cols, g.row(i + r) + j);
  }
}

/// The same, strip of columns after strip, by register blocks. The right tile's rows in a strip are
/// copied together first, to `packed` (tile * host_cols elements), because they lie a power of two
/// apart.
template <bool paths, int tile, class T>
void product_in_registers(const Graph<T>& g, Tile at, int k, int depth, T* packed) {
  for (int middle = k * tile; middle < (k + depth) * tile; middle += tile) {
    for (int j = at.col * tile; j < (at.col + 1) * tile; j += host_cols) {
      for (int line = 0; line < tile; ++line) {
        std::copy_n(g.row(middle + line) + j, host_cols, packed + line * host_cols);
      }
      for (int i = at.row * tile; i < (at.row + 1) * tile; i += host_block_rows<paths>) {
        register_block<paths, tile>(g, i, j, middle, packed);
      }
    }
  }
}

}  // namespace portcost::floyd_warshall
