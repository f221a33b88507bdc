// SPDX-License-Identifier: Apache-2.0
// For team kernels on tiles of a matrix (matrix_tiles.hpp), whose items keep their elements in
// registers and data that others need in scratch: aligned scratch, and slices of two other tiles.
#pragma once

#include <cstdint>

#include "variants/shared/kokkos_team.hpp"
#include "variants/shared/matrix_tiles.hpp"

namespace portcost {

/// The most elements that aligned_scratch() skips.
template <class T, int bytes = pack_bytes<T>>
inline constexpr int aligned_extra = bytes / static_cast<int>(sizeof(T));

/// The first `count` elements of a team's scratch that begin at a multiple of `bytes`.
template <class On, class T, int bytes = pack_bytes<T>>
KOKKOS_INLINE_FUNCTION T* aligned_scratch(const typename On::Member& team, int count) {
  T* const scratch = On::template scratch<T>(team, count + aligned_extra<T, bytes>);
  const auto past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(scratch) % bytes);
  return scratch + (bytes - past) % bytes / sizeof(T);
}

/// An item's loads of each slice: part of a row of the left tile, and part of a row of the right
/// tile. In a kernel's `Work`, row(i) is the start of row i, and offset(i) the number of elements
/// before it.
template <class Shape, class T>
struct Loads {
  static constexpr int tile = Shape::tile, slice = Shape::slice, pack = Shape::pack;

  /// Starts at column `first` of the left tiles, which is a row of the right tiles.
  template <class Work>
  KOKKOS_INLINE_FUNCTION void begin(const Work& s, int item, Tile at, int first) {
    left_from = s.row(at.row * tile + line(item)) + first + column(item);
    right_from = s.row(first + below(item)) + at.col * tile + across(item);
  }
  /// Loads the next slice into registers, and stores it to scratch.
  template <class Work>
  KOKKOS_INLINE_FUNCTION void fetch(const Work& s) {
    copy_pack<pack>(left, left_from);
    copy_pack<pack>(right, right_from);
    left_from += slice;
    right_from += s.offset(slice);
  }
  KOKKOS_INLINE_FUNCTION void publish(int item, T* left_to, T* right_to) const {
#pragma unroll
    for (int e = 0; e < pack; ++e) {
      left_to[(column(item) + e) * Shape::left_pitch + line(item)] = left[e];
    }
    copy_pack<pack>(right_to + below(item) * tile + across(item), right);
  }

  const T *left_from, *right_from;
  alignas(pack_bytes<T>) T left[pack], right[pack];

 private:
  KOKKOS_INLINE_FUNCTION static int line(int item) { return item / (slice / pack); }
  KOKKOS_INLINE_FUNCTION static int column(int item) { return item % (slice / pack) * pack; }
  KOKKOS_INLINE_FUNCTION static int below(int item) { return item / (tile / pack); }
  KOKKOS_INLINE_FUNCTION static int across(int item) { return item % (tile / pack) * pack; }
};

}  // namespace portcost
