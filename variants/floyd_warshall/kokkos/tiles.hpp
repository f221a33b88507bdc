// SPDX-License-Identifier: Apache-2.0
// Portable kernels of the steps on cubes: the pivot tile over its own vertices, and other tiles
// over them. Items keep their elements in registers; data that others need lies in scratch.
#pragma once

#include "variants/floyd_warshall/bodies.hpp"
#include "variants/floyd_warshall/host_bodies.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::floyd_warshall {

// ---- Portable kernels of the steps on cubes for a tile that one thread has, as on a host: rows or
// register blocks one after another.

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
                         [&](int) { close_tile<paths, Shape::tile>(g, k); });
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
      if constexpr (Shape::registers) {
        product_in_registers<paths, tile>(g, at, region.k, region.depth, packed);
      } else {
        product_by_rows<paths, tile>(g, at, region.k, region.depth);
      }
    });
  }
};

/// The pivot tile, tile (k, k), over its own vertices. Every item keeps its elements in registers.
/// For each vertex the items that hold its row and column publish them in scratch, double-buffered,
/// so that one barrier a vertex is enough.
template <class Shape, bool paths, class T>
struct ClosePivot {
  using On = Teams<Shape::warps, 1, Lanes::one>;
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols;
  static constexpr int items = Shape::threads;
  static constexpr int elements = Shape::close_scratch + (paths ? 2 * tile : 0);  // of 4 bytes each
  Graph<T> g;
  int k;

  static constexpr int scratch() { return scratch_bytes<T>(elements + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (!g.stopped()) close(team, aligned_scratch<On, T>(team, elements));
  }

  KOKKOS_FUNCTION void close(const typename On::Member& team, T* published) const {
    constexpr int most = On::most_own(items), group = Shape::group_y, wide = Shape::group_x;
    T best[most][rows][cols];
    int hop[paths ? most : 1][rows][cols];
    int* const published_hops = reinterpret_cast<int*>(published + Shape::close_scratch);
    const int first = k * tile;
    On::template for_own<items>(team, [&](int item, int own) {
      const int x = Shape::x_of(item), y = Shape::y_of(item);
      load_pivot<Shape, paths>(g, best[own], hop[paths ? own : 0], first, x, y);
    });
    for (int four = 0; four < tile; four += group) {
#pragma unroll
      for (int e = 0; e < group; ++e) {
        const int middle = four + e;
        T *const row = published + (e & 1) * 2 * tile, *const column = row + tile;
        int* const hops = paths ? published_hops + (e & 1) * tile : nullptr;
        On::template for_own<items>(team, [&](int item, int own) {
          const int x = Shape::x_of(item), y = Shape::y_of(item);
#pragma unroll
          for (int r = e; r < rows; r += group) {
            if (Shape::row_of(y, r) != middle) continue;
#pragma unroll
            for (int c = 0; c < cols; c += wide) {
              alignas(pack_bytes<T>) T some[wide];
#pragma unroll
              for (int w = 0; w < wide; ++w) some[w] = best[own][r][c + w];
              copy_pack<wide>(row + Shape::col_of(x, c), some);
            }
          }
#pragma unroll
          for (int c = wide == group ? e : 0; c < cols; c += wide) {
            if (Shape::col_of(x, c) != middle) continue;
#pragma unroll
            for (int r = 0; r < rows; r += group) {
              alignas(pack_bytes<T>) T some[group];
#pragma unroll
              for (int h = 0; h < group; ++h) some[h] = best[own][r + h][c];
              copy_pack<group>(column + Shape::row_of(y, r), some);
            }
            if constexpr (paths) {
#pragma unroll
              for (int r = 0; r < rows; ++r) hops[Shape::row_of(y, r)] = hop[own][r][c];
            }
          }
        });
        team.team_barrier();
        On::template for_own<items>(team, [&](int item, int own) {
          if (row[middle] < 0) {
            if (item == 0 && *g.negative < 0) *g.negative = first + middle;
            return;
          }
          const int x = Shape::x_of(item), y = Shape::y_of(item);
          alignas(pack_bytes<T>) T to[rows], from[cols];
#pragma unroll
          for (int r = 0; r < rows; r += group) {
            copy_pack<group>(to + r, column + Shape::row_of(y, r));
          }
#pragma unroll
          for (int c = 0; c < cols; c += wide) {
            copy_pack<wide>(from + c, row + Shape::col_of(x, c));
          }
#pragma unroll
          for (int r = 0; r < rows; ++r) {
#pragma unroll
            for (int c = 0; c < cols; ++c) {
              if constexpr (paths) {
                if (relaxes(best[own][r][c], to[r], from[c])) {
                  hop[own][r][c] = hops[Shape::row_of(y, r)];
                }
              } else {
                best[own][r][c] = relax(best[own][r][c], to[r], from[c]);
              }
            }
          }
        });
      }
    }
    On::template for_own<items>(team, [&](int item, int own) {
      const int x = Shape::x_of(item), y = Shape::y_of(item);
      store_pivot<Shape, paths>(g, best[own], hop[paths ? own : 0], first, x, y);
    });
  }
};

/// Relaxes the tiles of a region over the vertices of tiles [k, k + depth), a tile a team.
template <class Shape, bool paths, class T>
struct Product {
  using On = Teams<Shape::warps, Shape::teams, Lanes::one>;
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols;
  static constexpr int items = Shape::threads, most = On::most_own(items);
  Graph<T> g;
  Region region;

  static constexpr int scratch() { return scratch_bytes<T>(Shape::scratch + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (g.stopped()) return;
    take(team, region.at(team.league_rank()), aligned_scratch<On, T>(team, Shape::scratch));
  }

  KOKKOS_FUNCTION void take(const typename On::Member& team, Tile at, T* left) const {
    T best[most][rows][cols];
    int middle[paths ? most : 1][rows][cols];
    Loads<Shape, T> loads[most];
    T* const right = left + Shape::buffers * Shape::left_slice;
    On::template for_own<items>(team, [&](int item, int own) {
      begin_paths<Shape, paths>(best[own], middle[paths ? own : 0]);
      loads[own].begin(g, item, at, region.k * tile);
      loads[own].fetch(g);
      loads[own].publish(item, left, right);
    });
    team.team_barrier();
    const int steps = region.depth * tile / Shape::slice;
    for (int step = 0; step < steps; ++step) {
      const int now = Shape::pipelined ? step & 1 : 0, later = Shape::pipelined ? now ^ 1 : 0;
      const bool more = step + 1 < steps;
      const auto relax_own = [&](int item, int own) {
        relax_slice<Shape, paths>(best[own], middle[paths ? own : 0], Shape::x_of(item),
                                  Shape::y_of(item), step * Shape::slice,
                                  left + now * Shape::left_slice, right + now * Shape::right_slice);
      };
      const auto publish_own = [&](int item, int own) {
        loads[own].publish(item, left + later * Shape::left_slice,
                           right + later * Shape::right_slice);
      };
      if constexpr (Shape::pipelined) {
        On::template for_own<items>(team, [&](int item, int own) {
          if (more) loads[own].fetch(g);
          relax_own(item, own);
          if (more) publish_own(item, own);
        });
        team.team_barrier();
      } else {
        On::template for_own<items>(team, relax_own);
        team.team_barrier();
        if (!more) break;
        On::template for_own<items>(team, [&](int item, int own) {
          loads[own].fetch(g);
          publish_own(item, own);
        });
        team.team_barrier();
      }
    }
    // All items have read their operands, so that a tile of the cross, which is an operand of its
    // own, may be written.
    const int i0 = at.row * tile, j0 = at.col * tile;
    if constexpr (paths) {
      On::template for_own<items>(team, [&](int item, int own) {
        find_hops<Shape>(g, best[own], middle[own], i0, j0, region.k * tile, Shape::x_of(item),
                         Shape::y_of(item));
      });
      team.team_barrier();
    }
    On::template for_own<items>(team, [&](int item, int own) {
      const int x = Shape::x_of(item), y = Shape::y_of(item);
      if constexpr (paths) {
        store_hops<Shape>(g, best[own], middle[own], i0, j0, x, y);
      } else {
        store<Shape>(g, best[own], i0, j0, x, y);
      }
    });
  }
};

}  // namespace portcost::floyd_warshall
