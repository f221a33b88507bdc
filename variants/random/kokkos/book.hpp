// SPDX-License-Identifier: Apache-2.0
// random by the book: plain Kokkos, which needs Kokkos and rule.hpp alone.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "variants/random/rule.hpp"

namespace portcost::random::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using Policy = Kokkos::TeamPolicy<Space>;
using Member = Policy::member_type;
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
template <class Rule>
using Array = Kokkos::View<typename Rule::T*, Space, Unmanaged>;

/// The array as single numbers and as whole groups of calls; the numbers after the last whole group
/// are the last team's.
template <class Rule, int calls>
struct Groups {
  using Pack = Group<Rule, calls>;
  explicit Groups(const Array<Rule>& all)
      : numbers(all), whole(reinterpret_cast<Pack*>(all.data()), all.extent(0) / Pack::count) {}

  KOKKOS_INLINE_FUNCTION void fill_rest(const Member& team, const PhiloxSeed& seed) const {
    if (team.league_rank() != team.league_size() - 1) return;
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, whole.extent(0) * Pack::count, numbers.extent(0)),
        [&](std::uint64_t i) { numbers(i) = Rule::number(i, seed); });
  }

  Array<Rule> numbers;
  Kokkos::View<Pack*, Space, Unmanaged> whole;
};

/// One team per tile of `items` numbers.
template <class Rule>
void one_number(const Space& space, int team_size, int items, Array<Rule> out, PhiloxSeed seed) {
  const std::uint64_t n = out.extent(0);
  const auto tiles = static_cast<int>((n + items - 1) / items);
  Kokkos::parallel_for(
      "random::book::one_number", Policy(space, tiles, team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * items;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, items), [&](int item) {
          const std::uint64_t i = first + item;
          if (i < n) out(i) = Rule::number(i, seed);
        });
      });
}

/// One team per tile of `items` calls.
template <class Rule>
void one_call(const Space& space, int team_size, int items, Array<Rule> out, PhiloxSeed seed) {
  const Groups<Rule, 1> groups(out);
  const std::uint64_t tile = static_cast<std::uint64_t>(items) * Rule::of_call;
  const auto tiles = static_cast<int>((out.extent(0) + tile - 1) / tile);
  Kokkos::parallel_for(
      "random::book::one_call", Policy(space, tiles, team_size), KOKKOS_LAMBDA(const Member& team) {
        const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * items;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, items), [&](int item) {
          const std::uint64_t g = first + item;
          if (g < groups.whole.extent(0)) groups.whole(g) = group<Rule, 1>(g, seed);
        });
        groups.fill_rest(team, seed);
      });
}

/// `teams` teams share tiles of `items` groups of `calls` calls; neighbouring items fill
/// neighbouring groups. On a GPU team r has tiles r, r + teams, ..., so that concurrent teams write
/// neighbouring tiles; on a host a team has consecutive tiles.
template <class Rule, int calls>
void many_calls(const Space& space, int team_size, int teams, int items, Array<Rule> out,
                PhiloxSeed seed) {
  const Groups<Rule, calls> groups(out);
  Kokkos::parallel_for(
      "random::book::many_calls", Policy(space, teams, team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const std::uint64_t count = groups.whole.extent(0), rank = team.league_rank();
        const std::uint64_t tiles = (count + items - 1) / items, each = (tiles + teams - 1) / teams;
        const std::uint64_t begin = on_host ? rank * each : rank, step = on_host ? 1 : teams;
        const std::uint64_t end = on_host && begin + each < tiles ? begin + each : tiles;
        for (std::uint64_t tile = begin; tile < end; tile += step) {
          const std::uint64_t first = tile * items;
          const std::uint64_t last = first + items < count ? first + items : count;
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, first, last), [&](std::uint64_t g) {
            groups.whole(g) = group<Rule, calls>(g * calls, seed);
          });
        }
        groups.fill_rest(team, seed);
      });
}

}  // namespace portcost::random::book
