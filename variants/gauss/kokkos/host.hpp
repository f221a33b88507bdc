// SPDX-License-Identifier: Apache-2.0
// Portable kernels for a tile that one thread has, as on a host (host_bodies.hpp).
#pragma once

#include "variants/gauss/host_bodies.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::gauss {

/// block_r1: a tile in scratch, row by row, by one thread of a team. `k`: the pivot tile.
struct StagedByRows {
  template <class T>
  static constexpr int elements() {
    return flat_tile * flat_tile + aligned_extra<T, cache_line>;
  }
  template <class On, class T>
  KOKKOS_FUNCTION static void take(const typename On::Member& team, const System<T>& s, Tile at,
                                   int k, Columns columns) {
    T* const staged = aligned_scratch<On, T, cache_line>(team, flat_tile * flat_tile);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      StagedTile<T>{s, staged}.eliminate_columns(at, k, columns);
    });
  }
};

/// panel's work on the tiles of a region. `k`: the pivot tile, where the region is the pivot tile
/// or its cross, else -1.
template <class T>
struct HostPanelStep {
  using On = Teams<1>;
  static constexpr int elements = HostStrips<T>::scratch;
  System<T> s;
  Region region;
  int k;

  static constexpr int scratch() {
    return scratch_bytes<T>(elements + aligned_extra<T, cache_line>);
  }
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const right = aligned_scratch<On, T, cache_line>(team, elements);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      HostStrips<T>{s}.eliminate_columns(right, region.at(team.league_rank()), k, region.columns);
    });
  }
};

/// panel's kernels where one thread has a tile: factorising tile (k, k), solving for its cross, and
/// the trailing update. Other threads of the team idle.
template <class T>
struct HostPanelKernels {
  using Step = HostPanelStep<T>;
  struct Pivot : Step {
    Pivot(const System<T>& all, int at)
        : Step{all, alone(at, {at * panel_tile, (at + 1) * panel_tile}), at} {}
  };
  struct Cross : Step {
    static constexpr int parts = 1;
    Cross(const System<T>& all, const Region& tiles, int at) : Step{all, tiles, at} {}
  };
  struct Rest : Step {
    Rest(const System<T>& all, const Region& tiles) : Step{all, tiles, -1} {}
  };
};

}  // namespace portcost::gauss
