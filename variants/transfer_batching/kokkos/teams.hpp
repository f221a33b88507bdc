// SPDX-License-Identifier: Apache-2.0
// Rows that teams move: a thread an element, as the native kernel.
#pragma once

#include "variants/shared/kokkos_team.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

template <class Moved, Way way>
struct RowTeams {
  using On = Teams<way, kernel_threads / 32, 0, Lanes::one>;
  using Index = typename On::Index;
  Moved rows;
  std::int64_t elements;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const std::int64_t first = std::int64_t{team.league_rank()} * kernel_threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{kernel_threads}), [&](Index item) {
      if (first + item < elements) rows.move(first + item);
    });
  }
};

template <Way way, class Moved>
void move_by_teams(const Moved& rows, const Stream& on) {
  using Made = RowTeams<Moved, way>;
  static_assert(most_elements / kernel_threads <= Made::On::most_teams);
  const std::int64_t league = ceil_div(rows.elements(), std::int64_t{kernel_threads});
  Kokkos::parallel_for("portcost::transfer_batching::rows",
                       Made::On::policy(on, static_cast<int>(league)), Made{rows, rows.elements()});
}

}  // namespace portcost::transfer_batching
