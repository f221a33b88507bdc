// SPDX-License-Identifier: Apache-2.0
// Portable kernels of the steps on cubes for a tile that one thread has, as on a host: rows or
// register blocks one after another.
#pragma once

#include <cstdint>

#include "variants/floyd_warshall/problem.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::floyd_warshall {

/// Relaxes columns first .. first + count - 1 of row i over one vertex, by a thread's lanes.
template <bool paths, class T>
KOKKOS_INLINE_FUNCTION void relax_row(const auto& team, const Graph<T>& g, int i, int via,
                                      int first, int count) {
  T* const row = g.row(i);
  const T* const from = g.row(via);
  const T to = row[via];
  if constexpr (paths) {
    int* const next = g.next_row(i);
    const int hop = next[via];
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, first, first + count), [&](int j) {
      const T over = to + from[j];
      const bool shorter = over < row[j];
      row[j] = shorter ? over : row[j];
      next[j] = shorter ? hop : next[j];
    });
  } else {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, first, first + count),
                         [&](int j) { row[j] = relax(row[j], to, from[j]); });
  }
}

template <bool paths, class T>
struct HostTile {
  Graph<T> g;

  KOKKOS_FUNCTION void close(const auto& team, int k, int tile) const {
    const int first = k * tile;
    for (int via = first; via < first + tile; ++via) {
      if (g.row(via)[via] < 0) {
        if (*g.negative < 0) *g.negative = via;
        continue;
      }
      for (int i = first; i < first + tile; ++i) {
        if (i != via) relax_row<paths>(team, g, i, via, first, tile);
      }
    }
  }

  /// Row by row. Rows of a tile of the cross read each other, or themselves, while they change: the
  /// values read are then only shorter.
  KOKKOS_FUNCTION void product_by_rows(const auto& team, Tile at, int k, int depth,
                                       int tile) const {
    for (int i = at.row * tile; i < (at.row + 1) * tile; ++i) {
      for (int via = k * tile; via < (k + depth) * tile; ++via) {
        if (i != via) relax_row<paths>(team, g, i, via, at.col * tile, tile);
      }
    }
  }

  /// Strip of columns after strip. The right tile's rows in a strip are copied together first,
  /// because they lie a power of two apart. `packed` begins at a cache line.
  template <int tile>
  KOKKOS_FUNCTION void product_in_registers(const auto& team, T* packed, Tile at, int k,
                                            int depth) const {
    for (int via = k * tile; via < (k + depth) * tile; via += tile) {
      for (int j = at.col * tile; j < (at.col + 1) * tile; j += host_cols) {
        for (int line = 0; line < tile; ++line) {
          copy_pack<host_cols>(packed + line * host_cols, g.row(via + line) + j);
        }
        for (int i = at.row * tile; i < (at.row + 1) * tile; i += host_block_rows<paths>) {
          block<tile>(team, packed, i, j, via);
        }
      }
    }
  }

  /// Not inlined: within the loops around it, gcc has no register for each row's address.
  template <int tile>
  [[gnu::noinline]] KOKKOS_FUNCTION void block(const auto& team, const T* packed, int i, int j,
                                               int first) const {
    constexpr int height = host_block_rows<paths>;
    T best[height][host_cols];
    int via[height][host_cols];
    const T* const left = g.row(i) + first;
    for (int r = 0; r < height; ++r) {
      for (int c = 0; c < host_cols; ++c) {
        best[r][c] = g.row(i + r)[j + c];
        if constexpr (paths) via[r][c] = -1;
      }
    }
    for (int k = 0; k < tile; ++k) {
      const T* const line = packed + k * host_cols;
      for (int r = 0; r < height; ++r) {
        const T to = left[static_cast<std::uint64_t>(r) * g.pitch + static_cast<std::uint64_t>(k)];
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, host_cols), [&](int c) {
          if constexpr (paths) {
            const T over = to + line[c];
            const bool shorter = over < best[r][c];
            best[r][c] = shorter ? over : best[r][c];
            via[r][c] = shorter ? k : via[r][c];
          } else {
            best[r][c] = relax(best[r][c], to, line[c]);
          }
        });
      }
    }
    for (int r = 0; r < height; ++r) {
      if constexpr (paths) {
        int* const next = g.next_row(i + r);
        int hops[host_cols];
        for (int c = 0; c < host_cols; ++c) {
          hops[c] = via[r][c] < 0 ? next[j + c] : next[first + via[r][c]];
        }
        for (int c = 0; c < host_cols; ++c) next[j + c] = hops[c];
      }
      T* const row = g.row(i + r) + j;
      for (int c = 0; c < host_cols; ++c) row[c] = best[r][c];
    }
  }
};

/// The pivot tile, tile (k, k), over its own vertices, by one thread of the team.
template <class Shape, bool paths, class T>
struct HostClose {
  using On = Teams<1>;
  Graph<T> g;
  int k;

  static constexpr int scratch() { return 0; }
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (g.stopped()) return;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                         [&](int) { HostTile<paths, T>{g}.close(team, k, Shape::tile); });
  }
};

/// Relaxes the tiles of a region over the vertices of tiles [k, k + depth), a tile a team.
template <class Shape, bool paths, class T>
struct HostProduct {
  using On = Teams<1>;
  static constexpr int tile = Shape::tile;
  static constexpr int packed_elements = Shape::registers ? tile * host_cols : 0;
  Graph<T> g;
  Region region;

  static constexpr int scratch() {
    return Shape::registers ? scratch_bytes<T>(packed_elements + aligned_extra<T, cache_line>) : 0;
  }
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (g.stopped()) return;
    const Tile at = region.at(team.league_rank());
    T* packed = nullptr;
    if constexpr (Shape::registers) {
      packed = aligned_scratch<On, T, cache_line>(team, packed_elements);
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      const HostTile<paths, T> host{g};
      if constexpr (Shape::registers) {
        host.template product_in_registers<tile>(team, packed, at, region.k, region.depth);
      } else {
        host.product_by_rows(team, at, region.k, region.depth, tile);
      }
    });
  }
};

}  // namespace portcost::floyd_warshall
