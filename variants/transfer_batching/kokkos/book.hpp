// SPDX-License-Identifier: Apache-2.0
// transfer_batching's kernels by the book: plain Kokkos, which needs Kokkos alone. A team has 256
// elements, counted row by row, and each thread or lane moves an element.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

namespace portcost::transfer_batching::book {

using Space = Kokkos::DefaultExecutionSpace;
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256>>;
using Member = Teams::member_type;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
/// (row, column). Rows may be longer than what is moved of them.
template <class T>
using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Space, Unmanaged>;
template <class T>
using Row = Kokkos::View<T*, Space, Unmanaged>;
/// Where an array lies, as an element of a list.
template <class T>
struct Array {
  const T* first;
};

/// section_packed, arrays_packed and section_over_link: the first n elements of each row.
template <class T>
void move_rows(const Space& space, int team_size, std::size_t n, Rows<const T> from, Rows<T> to) {
  const std::size_t elements = to.extent(0) * n, teams = (elements + 255) / 256;
  Kokkos::parallel_for(
      "transfer_batching::book::move_rows", Teams(space, static_cast<int>(teams), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * 256;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 256), [&](int item) {
          const std::size_t i = first + item;
          if (i >= elements) return;
          const std::size_t row = i / n, column = i - row * n;
          to(row, column) = from(row, column);
        });
      });
}

/// arrays_over_link: array i, of n elements, becomes row i.
template <class T>
void move_arrays(const Space& space, int team_size, std::size_t n, Row<const Array<T>> arrays,
                 Rows<T> to) {
  const std::size_t elements = to.extent(0) * n, teams = (elements + 255) / 256;
  Kokkos::parallel_for(
      "transfer_batching::book::move_arrays", Teams(space, static_cast<int>(teams), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * 256;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 256), [&](int item) {
          const std::size_t i = first + item;
          if (i >= elements) return;
          const std::size_t row = i / n, column = i - row * n;
          const Row<const T> array(arrays(row).first, n);
          to(row, column) = array(column);
        });
      });
}

}  // namespace portcost::transfer_batching::book
