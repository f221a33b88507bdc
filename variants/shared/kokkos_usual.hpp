// SPDX-License-Identifier: Apache-2.0
// For the usual variants of several algorithms: rows of the harness's memory as a View, and the
// tile of an MDRangePolicy over it, which is a dial (a documented option).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "variants/shared/kokkos_space.hpp"

namespace portcost {

using DefaultLayout = KokkosSpace::array_layout;
inline constexpr bool default_is_left = std::is_same_v<DefaultLayout, Kokkos::LayoutLeft>;
using OtherLayout = std::conditional_t<default_is_left, Kokkos::LayoutRight, Kokkos::LayoutLeft>;

/// A range counted by Index: a dial, because Kokkos counts in 32 bits on a GPU and in 64 on a host.
template <class Index>
using RangeOf = Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<Index>>;
/// The same in `rank` dimensions.
template <class Index, int rank>
using MDRangeOf = Kokkos::MDRangePolicy<KokkosSpace, Kokkos::Rank<rank>, Kokkos::IndexType<Index>>;
/// f(Index{}): 32 bits, Kokkos's default on a GPU, where these are enough for `count` indices.
template <class F>
void with_index(std::int64_t count, const F& f) {
  count <= std::numeric_limits<int>::max() ? f(int{}) : f(std::int64_t{});
}
/// Why a range of `count` indices is not counted in 32 bits; empty where it is.
inline std::string_view no_int32(std::int64_t count) {
  return count <= std::numeric_limits<int>::max() ? "" : "32 bits do not count its indices";
}

/// Elements in the layout's natural order: (column, row) with LayoutLeft, (row, column) with
/// others.
template <class Layout, class T>
using View2d =
    Kokkos::View<T**, Layout, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The first `columns` elements of each row, where rows begin `pitch` elements apart.
template <class Layout, class T>
View2d<Layout, T> view_of(T* first, int rows, int columns, std::int64_t pitch) {
  const auto high = static_cast<std::size_t>(rows), wide = static_cast<std::size_t>(pitch);
  const std::pair<std::size_t, std::size_t> used(0, columns);
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutLeft>) {
    return Kokkos::subview(View2d<Layout, T>(first, wide, high), used, Kokkos::ALL);
  } else {
    return Kokkos::subview(View2d<Kokkos::LayoutRight, T>(first, high, wide), Kokkos::ALL, used);
  }
}

/// The extents of a policy's tile in the order of its indices; 0 by 0 is Kokkos's own choice.
template <int first, int second>
struct PolicyTile {};
using OwnTile = PolicyTile<0, 0>;

/// The tile in each place, with the dial's text.
struct LeftTile : PolicyTile<64, 4> {
  static constexpr std::string_view dial = "tile=64x4";
};
struct RightTile : PolicyTile<4, 64> {
  static constexpr std::string_view dial = "tile=4x64";
};
struct HostTile : PolicyTile<16, 4096> {
  static constexpr std::string_view dial = "tile=16x4096";
};
/// For a View with the default layout, and for one with LayoutRight.
using GoodTile = ShapeIn<kokkos_shapes, LeftTile, HostTile>;
using GoodTileOfRows = ShapeIn<kokkos_shapes, RightTile, HostTile>;

}  // namespace portcost
