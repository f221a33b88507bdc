// SPDX-License-Identifier: Apache-2.0
// strides by the book: plain Kokkos, which needs Kokkos alone. A View has the stride, so one kernel
// copies elements from and to any stride, and another one rows of any pitch.
#pragma once

#include <Kokkos_Core.hpp>

namespace portcost::strides::book {

using Space = Kokkos::DefaultExecutionSpace;
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256>>;
using Member = Teams::member_type;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

/// Elements next to each other, or a stride apart.
template <class T>
using Dense = Kokkos::View<T*, Kokkos::LayoutRight, Space, Unmanaged>;
template <class T>
using Strided = Kokkos::View<T*, Kokkos::LayoutStride, Space, Unmanaged>;
/// Elements (row, column). Rows may be longer than what is copied of them.
template <class T>
using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Space, Unmanaged>;

KOKKOS_INLINE_FUNCTION int ceil_div(int a, int b) { return a / b + (a % b != 0); }
KOKKOS_INLINE_FUNCTION int least(int a, int b) { return a < b ? a : b; }

/// reads, writes, both: a team copies a stretch of `apart` times `count` elements. A lane takes
/// elements `apart` from each other, and loads all before it stores the first.
template <int apart, int count, class From, class To>
void copy_line(const Space& space, int team_size, From from, To to) {
  using T = typename To::value_type;
  const int n = static_cast<int>(to.extent(0));
  Kokkos::parallel_for(
      "strides::book::copy_line", Teams(space, ceil_div(n, apart * count), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const int first = team.league_rank() * (apart * count);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, least(apart, n - first)), [&](int l) {
          T own[count] = {from(first + l)};
          for (int k = 1; k < count; ++k) {
            const int i = first + l + k * apart;
            if (i < n) own[k] = from(i);
          }
          to(first + l) = own[0];
          for (int k = 1; k < count; ++k) {
            const int i = first + l + k * apart;
            if (i < n) to(i) = own[k];
          }
        });
      });
}

/// packed_rows, padded_rows: a team copies a tile of `width` columns and `apart` times `count`
/// rows. A lane takes rows `apart` from each other, and loads all before it stores the first. One
/// range takes fewer registers than a ThreadVectorRange in a TeamThreadRange.
template <int width, int apart, int count, class T>
void copy_rows(const Space& space, int team_size, int columns, Rows<const T> from, Rows<T> to) {
  const int rows = static_cast<int>(to.extent(0)), tiles = ceil_div(columns, width);
  Kokkos::parallel_for(
      "strides::book::copy_rows",
      Teams(space, tiles * ceil_div(rows, apart * count), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const int column = team.league_rank() % tiles * width;
        const int first = team.league_rank() / tiles * (apart * count);
        const int items = apart > 1 ? apart * width : least(width, columns - column);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, items), [&](int l) {
          const int i = first + l / width, j = column + l % width;
          if (j >= columns) return;
          T own[count] = {};
          for (int k = 0; k < count; ++k) {
            if (i + k * apart < rows) own[k] = from(i + k * apart, j);
          }
          for (int k = 0; k < count; ++k) {
            if (i + k * apart < rows) to(i + k * apart, j) = own[k];
          }
        });
      });
}

}  // namespace portcost::strides::book
