// SPDX-License-Identifier: Apache-2.0
// What one thread of all reads, whichever policy has it run.
#pragma once

#include <string_view>

#include "variants/in_flight/host_bodies.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::in_flight {

/// GPUs: thread `item` of the given team of `teams`.
template <int loads>
KOKKOS_INLINE_FUNCTION void read_pieces(const Reading& s, int team, int teams, int item) {
  constexpr int piece = threads * loads;
  const int whole = static_cast<int>(s.n / piece);
  std::uint32_t sum = 0;
  if (team == teams - 1) {  // first: after the loop it would take registers that the loads need
#pragma unroll 1
    for (std::int64_t i = std::int64_t{whole} * piece + item; i < s.n; i += int{threads}) {
      sum += static_cast<std::uint32_t>(s.a[i]);
    }
  }
#pragma unroll 1
  for (int p = team; p < whole;) {
    const std::int32_t* const from = s.a + (p * piece + item);
    std::uint32_t own[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) own[k] = static_cast<std::uint32_t>(from[k * threads]);
    std::uint32_t all = 0;
#pragma unroll
    for (int k = 0; k < loads; ++k) all |= own[k];
#pragma unroll
    for (int k = 0; k < loads; ++k) sum += own[k];
    p += teams + no_step(all);
  }
  s.sums[team * threads + item] = sum;
}

/// GPUs: teams that read pieces.
struct Pieces {
  Reading s;
  int teams;

  explicit Pieces(const Reading& reading) : s(reading), teams(reading.workers / threads) {}
  int league() const { return teams; }
  /// What a team of `On` reads, and what thread `worker` of all does.
  template <int loads, class On>
  KOKKOS_FUNCTION void read_by(const auto& team) const {
    using Index = typename On::Index;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index item) {
      read_pieces<loads>(s, team.league_rank(), teams, static_cast<int>(item));
    });
  }
  template <int loads>
  KOKKOS_FUNCTION void read(int worker) const {
    read_pieces<loads>(s, worker / threads, teams, worker % threads);
  }
  static std::string_view unfit(const Problem& p) { return no_whole_teams(p); }
};

/// Hosts: lines, by a thread a team.
struct Lines {
  Reading s;
  Walk walk;

  explicit Lines(const Reading& reading) : s(reading), walk(reading.n) {}
  int league() const { return s.workers; }
  template <int loads, class On>
  KOKKOS_FUNCTION void read_by(const auto& team) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                         [&](int) { read<loads>(team.league_rank()); });
  }
  template <int loads>
  KOKKOS_FUNCTION void read(int worker) const {
    read_lines<loads>(s, walk, worker);
  }
  static std::string_view unfit(const Problem&) { return {}; }
};

using Workers = ShapeIn<kokkos_shapes, Pieces, Lines>;

}  // namespace portcost::in_flight
