// SPDX-License-Identifier: Apache-2.0
// For the usual variants of several algorithms: a plane of the harness's memory as a View, and the
// tile of an MDRangePolicy over it, which is a dial (a documented option).
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "variants/shared/kokkos_space.hpp"

namespace portcost {

/// Rows of memory as a View in which neighbours along a row are neighbours in memory, whatever the
/// layout: the first index runs along a row (x) with LayoutLeft and counts rows (y) with
/// LayoutRight. Element (0, 0) lies `before` elements into row `above`. A program whose Views own
/// their memory needs none of this: it calls the layout's first index x.
template <class T, class Layout = KokkosSpace::array_layout, int before = 0, int above = 0>
struct Plane {
  static constexpr bool x_first = std::is_same_v<Layout, Kokkos::LayoutLeft>;

  Plane(T* first, std::size_t pitch, std::size_t rows)
      : view(first, x_first ? pitch : rows, x_first ? rows : pitch) {}

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(int x, int y) const {
    if constexpr (x_first) {
      return view(x + before, y + above);
    } else {
      return view(y + above, x + before);
    }
  }

  Kokkos::View<T**, Layout, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      view;
};
/// Whether x is the first index in the space's layout.
inline constexpr bool x_first = Plane<float>::x_first;

/// The extents of the tile along a row (x) and across rows (y); 0 by 0 is Kokkos's own choice.
template <int x, int y>
struct PolicyTile {};
using OwnTile = PolicyTile<0, 0>;

/// The tile in each place, and the dial's text where a policy's first index runs along a row (xy)
/// and where it counts rows (yx).
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
