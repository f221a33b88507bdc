// SPDX-License-Identifier: Apache-2.0
// monte_carlo by the book: plain Kokkos, which needs Kokkos and rule.hpp alone.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "variants/monte_carlo/rule.hpp"

namespace portcost::monte_carlo::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using Policy = Kokkos::TeamPolicy<Space>;
using Member = Policy::member_type;
using Sums = Kokkos::View<std::uint64_t*, Space, Unmanaged>;
using Hits = Kokkos::View<std::uint64_t, Space, Unmanaged>;

/// The pairs of a seed: whole calls, and `rest` pairs of an incomplete last call.
template <class T>
struct Pairs {
  explicit Pairs(std::uint64_t pairs, std::uint64_t key)
      : seed(key),
        calls(pairs / pairs_of_call<T>),
        rest(static_cast<int>(pairs % pairs_of_call<T>)) {}
  PhiloxSeed seed;
  std::uint64_t calls;
  int rest;

  KOKKOS_INLINE_FUNCTION unsigned hits_at(std::uint64_t call) const {
    if (call > calls) return 0;
    return hits_of<T>(philox(call, seed), call < calls ? pairs_of_call<T> : rest);
  }
};

/// The sum of of_item(i) over first <= i < end, by a team; every thread gets the sum.
template <class F>
KOKKOS_INLINE_FUNCTION std::uint64_t add_items(const Member& team, std::uint64_t first,
                                               std::uint64_t end, const F& of_item) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(team, first, end),
      [&](const std::uint64_t i, std::uint64_t& own) { own += of_item(i); }, sum);
  return sum;
}

/// hits = the sum of all partials, by one team.
inline void add_partials(const Space& space, int team_size, Sums partials, Hits hits) {
  Kokkos::parallel_for(
      "monte_carlo::book::add_partials", Policy(space, 1, team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const std::uint64_t sum =
            add_items(team, 0, partials.extent(0), [&](std::uint64_t i) { return partials(i); });
        Kokkos::single(Kokkos::PerTeam(team), [&] { hits() = sum; });
      });
}

/// One team per tile of `items` calls; the team stores a partial sum.
template <class T>
void one_pair(const Space& space, int team_size, int items, Pairs<T> pairs, Sums partials) {
  Kokkos::parallel_for(
      "monte_carlo::book::one_pair", Policy(space, static_cast<int>(partials.extent(0)), team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * items;
        const std::uint64_t sum = add_items(team, first, first + items, [&](std::uint64_t call) {
          return std::uint64_t{pairs.hits_at(call)};
        });
        Kokkos::single(Kokkos::PerTeam(team), [&] { partials(team.league_rank()) = sum; });
      });
}

/// A team's share of `all` items.
struct Share {
  std::uint64_t first, end;
  KOKKOS_INLINE_FUNCTION Share(std::uint64_t all, const Member& team) {
    const auto teams = static_cast<std::uint64_t>(team.league_size());
    const std::uint64_t each = (all + teams - 1) / teams;
    first = each * static_cast<std::uint64_t>(team.league_rank());
    if (first > all) first = all;
    end = first + each < all ? first + each : all;
  }
};

/// The hits of a team's share of all groups of `calls` calls; the first team adds the calls past
/// the last whole group.
template <class T, int calls>
KOKKOS_INLINE_FUNCTION std::uint64_t hits_of_share(const Member& team, const Pairs<T>& pairs) {
  const std::uint64_t groups = pairs.calls / calls;
  const Share own(groups, team);
  std::uint64_t sum = add_items(team, own.first, own.end, [&](std::uint64_t g) {
    return std::uint64_t{hits_of_group<T, calls>(g * calls, pairs.seed)};
  });
  if (team.league_rank() == 0) {
    for (std::uint64_t call = groups * calls; call <= pairs.calls; ++call) {
      sum += pairs.hits_at(call);
    }
  }
  return sum;
}

/// Many pairs per thread; each team stores a partial sum.
template <class T, int calls>
void many_pairs(const Space& space, int team_size, Pairs<T> pairs, Sums partials) {
  Kokkos::parallel_for(
      "monte_carlo::book::many_pairs",
      Policy(space, static_cast<int>(partials.extent(0)), team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const std::uint64_t sum = hits_of_share<T, calls>(team, pairs);
        Kokkos::single(Kokkos::PerTeam(team), [&] { partials(team.league_rank()) = sum; });
      });
}

/// Many pairs per thread; each team adds its hits atomically.
template <class T, int calls>
void block_atomics(const Space& space, int team_size, int teams, Pairs<T> pairs, Hits hits) {
  Kokkos::deep_copy(space, hits, std::uint64_t{0});
  Kokkos::parallel_for(
      "monte_carlo::book::block_atomics", Policy(space, teams, team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const std::uint64_t sum = hits_of_share<T, calls>(team, pairs);
        Kokkos::single(Kokkos::PerTeam(team), [&] { Kokkos::atomic_add(&hits(), sum); });
      });
}

/// Stores the numbers (pair, coordinate); an item makes one call.
template <class T>
using Numbers = Kokkos::View<T* [2], Kokkos::LayoutRight, Space, Unmanaged>;
template <class T>
void generate(const Space& space, int team_size, int teams, Pairs<T> pairs, Numbers<T> numbers) {
  constexpr int of_call = pairs_of_call<T>;
  Kokkos::parallel_for(
      "monte_carlo::book::generate", Policy(space, teams, team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const Share own(pairs.calls + 1, team);
        Kokkos::parallel_for(
            Kokkos::TeamVectorRange(team, own.first, own.end), [&](std::uint64_t call) {
              const RandomWords words = philox(call, pairs.seed);
              for (int p = 0; p < (call < pairs.calls ? of_call : pairs.rest); ++p) {
                numbers(call * of_call + p, 0) = uniform<T>(words, 2 * p);
                numbers(call * of_call + p, 1) = uniform<T>(words, 2 * p + 1);
              }
            });
      });
}

/// Counts the hits among stored numbers; each team stores a partial sum.
template <class T>
void count(const Space& space, int team_size, Numbers<T> numbers, Sums partials) {
  Kokkos::parallel_for(
      "monte_carlo::book::count", Policy(space, static_cast<int>(partials.extent(0)), team_size),
      KOKKOS_LAMBDA(const Member& team) {
        const Share own(numbers.extent(0), team);
        const std::uint64_t sum = add_items(team, own.first, own.end, [&](std::uint64_t p) {
          return std::uint64_t{is_hit(numbers(p, 0), numbers(p, 1))};
        });
        Kokkos::single(Kokkos::PerTeam(team), [&] { partials(team.league_rank()) = sum; });
      });
}

}  // namespace portcost::monte_carlo::book
