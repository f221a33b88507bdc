// SPDX-License-Identifier: Apache-2.0
// The tile of an MDRangePolicy over a plane: the dial that usual variants of several algorithms
// turn alike.
#pragma once

#include <string_view>

#include "variants/kokkos_space.hpp"

namespace portcost {

/// Elements of the tile along a row (x) and rows (y); of 0 by 0, Kokkos's own choice.
template <int x, int y>
struct PolicyTile {};
using OwnTile = PolicyTile<0, 0>;

/// The tile of the dial in each place, and the dial's text where a policy's first index is along a
/// row (xy) and where it counts rows (yx).
struct DeviceTile : PolicyTile<64, 4> {
  static constexpr std::string_view dial_xy = "tile=64x4";
  static constexpr std::string_view dial_yx = "tile=4x64";
};
struct HostTile : PolicyTile<4096, 16> {
  static constexpr std::string_view dial_xy = "tile=4096x16";
  static constexpr std::string_view dial_yx = "tile=16x4096";
};
using GoodTile = ShapeIn<kokkos_shapes, DeviceTile, HostTile>;

}  // namespace portcost
