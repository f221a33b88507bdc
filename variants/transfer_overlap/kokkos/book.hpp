// SPDX-License-Identifier: Apache-2.0
// transfer_overlap's kernel by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. A
// team has 128 elements of a piece, and each lane changes an element (README.md names the source).
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "variants/transfer_overlap/rule.hpp"

namespace portcost::transfer_overlap::book {

using Space = Kokkos::DefaultExecutionSpace;
template <class T>
using Piece = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The piece has elements `first`, `first` + 1, ... of the array.
template <bool fast = false, class T>
void increase(const Space& space, int team_size, Piece<T> piece, std::int64_t first) {
  using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<128>>;
  const std::size_t count = piece.extent(0), teams = (count + 127) / 128;
  Kokkos::parallel_for(
      "transfer_overlap::book::increase", Teams(space, static_cast<int>(teams), team_size, 32),
      KOKKOS_LAMBDA(const Teams::member_type& team) {
        const std::size_t begin = static_cast<std::size_t>(team.league_rank()) * 128;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 128), [&](int item) {
          const std::size_t i = begin + item;
          if (i < count) {
            const auto x = static_cast<T>(first + static_cast<std::int64_t>(i));
            piece(i) = increased<fast>(piece(i), x);
          }
        });
      });
}

}  // namespace portcost::transfer_overlap::book
