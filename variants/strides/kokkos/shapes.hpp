// SPDX-License-Identifier: Apache-2.0
// What a team copies, and how, in a device's shape and in a host's.
#pragma once

#include <algorithm>
#include <cstdint>

#include "variants/shared/kokkos_space.hpp"
#include "variants/strides/problem.hpp"

namespace portcost::strides {

/// GPUs: a thread has several elements, and loads all before it stores the first.
struct DeviceShape {
  static constexpr int stretch = strides::stretch(Place::device);
  static constexpr TileShape tile = tile_shape(Place::device);

  /// The stretch from element `first` on.
  template <class On, Side side, class T>
  KOKKOS_FUNCTION static void copy_stretch(const auto& team, const Copies<T>& s, int first) {
    using Index = typename On::Index;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}),
                         [&](Index item) { elements<side>(s, first + static_cast<int>(item)); });
  }
  /// The tile whose first element is in the given row and column.
  template <class On, bool padded, class T>
  KOKKOS_FUNCTION static void copy_tile(const auto& team, const Copies<T>& s, int row, int column) {
    using Index = typename On::Index;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index index) {
      const int item = static_cast<int>(index);
      of_rows<padded>(s, row + item / lanes, column + item % lanes);
    });
  }

 private:
  template <Side side, class T>
  KOKKOS_FUNCTION static void elements(const Copies<T>& s, int first) {
    T own[loads] = {};
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int i = first + k * threads;
      if (i < s.n) own[k] = s.a[source<side>(s, i)];
    }
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int i = first + k * threads;
      if (i < s.n) s.b[target<side>(s, i)] = own[k];
    }
  }
  template <bool padded, class T>
  KOKKOS_FUNCTION static void of_rows(const Copies<T>& s, int first, int column) {
    T own[loads] = {};
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int r = first + k * warps;
      if (r < s.rows && column < s.columns) own[k] = s.a[row_of<padded>(s, r) + column];
    }
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int r = first + k * warps;
      if (r < s.rows && column < s.columns) s.b[row_of<padded>(s, r) + column] = own[k];
    }
  }
};

/// Hosts: one thread's work, if a team has more of them; elements a vector at a time, rows by the
/// C++ library.
struct HostShape {
  static constexpr int stretch = strides::stretch(Place::host);
  static constexpr int at_a_time = 16;  // as many as the native loop is compiled for
  static constexpr TileShape tile = tile_shape(Place::host);

  template <class On, Side side, class T>
  KOKKOS_FUNCTION static void copy_stretch(const auto& team, const Copies<T>& s, int first) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                         [&](int) { vectors<side>(team, s, first); });
  }
  template <class On, bool padded, class T>
  KOKKOS_FUNCTION static void copy_tile(const auto& team, const Copies<T>& s, int row, int column) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                         [&](int) { of_row<padded>(s, row, column); });
  }

 private:
  // From one stride to another, each known to be 1 where it is. (The native loop, a loop of OpenMP
  // alone, is compiled for both; inside a team it is not unless both are written. Nor is it
  // compiled for several elements at a time, without which fewer reads of far lines are on their
  // way.)
  template <Side side, class T>
  KOKKOS_FUNCTION static void vectors(const auto& team, const Copies<T>& s, int first) {
    const T* const from = s.a + source<side>(s, first);
    T* const to = s.b + target<side>(s, first);
    const int count = compat::min(s.n - first, int{stretch});
    const std::int64_t from_apart = side == Side::writes ? 1 : s.stride;
    const std::int64_t to_apart = side == Side::reads ? 1 : s.stride;
    if (s.stride == 1) {
      each(team, count, [=](int i) { to[i] = from[i]; });
    } else {
      each(team, count / at_a_time, [=](int part) {
        const int begin = part * at_a_time;
        T own[at_a_time];
        for (int k = 0; k < at_a_time; ++k) own[k] = from[(begin + k) * from_apart];
        for (int k = 0; k < at_a_time; ++k) to[(begin + k) * to_apart] = own[k];
      });
      const int done = count / at_a_time * at_a_time;
      each(team, count - done,
           [=](int i) { to[(done + i) * to_apart] = from[(done + i) * from_apart]; });
    }
  }
  KOKKOS_FUNCTION static void each(const auto& team, int count, const auto& copy) {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), copy);
  }
  // The elements of a row, as the native code copies them.
  template <bool padded, class T>
  static void of_row(const Copies<T>& s, int row, int column) {
    const T* const from = s.a + row_of<padded>(s, row);
    const int end = compat::min(s.columns, column + int{tile.columns});
    std::copy(from + column, from + end, s.b + row_of<padded>(s, row) + column);
  }
};

}  // namespace portcost::strides
