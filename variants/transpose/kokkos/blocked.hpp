// SPDX-License-Identifier: Apache-2.0
// Portable kernels of blocked and in_place, for one thread that has a block or a pair of them to
// itself, as on a host.
#pragma once

#include "variants/transpose/blocks.hpp"
#include "variants/transpose/kokkos/grids.hpp"

namespace portcost::transpose {

/// Groups of blocks of whole matrices (Places) or of parts of them: a shape for hosts.
template <template <class> class At, class T, Way way>
struct BlockedOf {
  using On = Teams<way, 1>;
  At<T> s;
  TileGrids<way> groups;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    const auto at = groups.at(team.league_rank());
    // One thread's work, if the team has more of them.
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      transpose_group(s, at.matrix, at.column * group, at.line * group);
    });
  }
};
template <class T, Way way>
using Blocked = BlockedOf<Places, T, way>;

/// Pairs of groups on both sides of the diagonal: a shape for hosts.
template <class T, Way way>
struct InPlaceOfHosts {
  using On = Teams<way, 1>;
  static constexpr int side = group;
  Places<T> s;
  TileGrids<way> pairs;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    const auto in_grid = pairs.at(team.league_rank());
    const Tile at = PairGrid{ceil_div(s.nx, group)}.at(in_grid.column, in_grid.line);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      exchange_groups(s, in_grid.matrix, at.row * group, at.col * group);
    });
  }
};

}  // namespace portcost::transpose
