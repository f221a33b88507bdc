// SPDX-License-Identifier: Apache-2.0
// Portable kernels of the steps on cubes for a tile that one thread has, as on a host: rows or
// register blocks one after another.
#pragma once

#include "variants/floyd_warshall/host_bodies.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::floyd_warshall {

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

}  // namespace portcost::floyd_warshall
