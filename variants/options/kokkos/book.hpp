// SPDX-License-Identifier: Apache-2.0
// options by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. A team reduces its
// payoffs to two sums with a custom reducer; further launches add the teams' sums.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "variants/options/rule.hpp"

namespace portcost::options::book {

using Space = Kokkos::DefaultExecutionSpace;
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256>>;
using Member = Teams::member_type;
template <class T>
using Vector = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The reducer that adds up Sums.
struct Add {
  using reducer = Add;
  using value_type = Sums;
  using result_view_type = Kokkos::View<Sums, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Sums* into;

  KOKKOS_FUNCTION explicit Add(Sums& sums) : into(&sums) {}
  KOKKOS_FUNCTION void join(Sums& to, const Sums& from) const { to += from; }
  KOKKOS_FUNCTION void init(Sums& sums) const { sums = Sums(); }
  KOKKOS_FUNCTION Sums& reference() const { return *into; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(into); }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }
};

/// Each team stores its sum of add(i, sums) in `out`. The indices i of a team in [0, count):
/// `turns` consecutive runs of `items` or, with turns = 0, every teams-th run of `items`.
template <class Body>
void reduce(const char* label, const Space& space, int teams, int team_size, int lanes, int items,
            int turns, std::uint64_t count, Vector<Sums> out, Body add) {
  Kokkos::parallel_for(
      label, Teams(space, teams, team_size, lanes), KOKKOS_LAMBDA(const Member& team) {
        const auto size = static_cast<std::uint64_t>(items);
        const auto rank = static_cast<std::uint64_t>(team.league_rank());
        const std::uint64_t stretch = size * static_cast<std::uint64_t>(turns);
        const std::uint64_t first = turns > 0 ? rank * stretch : rank * size;
        const std::uint64_t end = turns > 0 && first + stretch < count ? first + stretch : count;
        const std::uint64_t step =
            turns > 0 ? size : size * static_cast<std::uint64_t>(team.league_size());
        Sums sums;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, 0, items),
            [&](int item, Sums& mine) {
              for (std::uint64_t i = first + static_cast<std::uint64_t>(item); i < end; i += step) {
                add(i, mine);
              }
            },
            Add(sums));
        Kokkos::single(Kokkos::PerTeam(team), [&] { out(team.league_rank()) = sums; });
      });
}

/// one_path: one index per path.
template <bool fast, class T>
struct Path {
  Terms<T> terms;
  KOKKOS_FUNCTION void operator()(std::uint64_t path, Sums& sums) const {
    sums.add(payoff_of_path<fast>(terms, path));
  }
};

/// many_paths: one index per group of paths, which share Philox calls.
template <bool fast, class T>
struct Group {
  Terms<T> terms;
  std::uint64_t paths;
  KOKKOS_FUNCTION void operator()(std::uint64_t group, Sums& sums) const {
    constexpr unsigned many = paths_of_a_group<T>;
    const Payoffs<T> paid = payoffs<fast>(terms, group);
    for (unsigned i = 0; i < many; ++i) {
      if (group * many + i < paths) sums.add(paid.at[i]);
    }
  }
};

/// The launches that add partial sums: one index per partial sum.
struct Partial {
  Vector<const Sums> from;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Sums& sums) const { sums += from(i); }
};

}  // namespace portcost::options::book
