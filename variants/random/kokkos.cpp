// SPDX-License-Identifier: Apache-2.0
// Portable variants, tuned.
#include "variants/random/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::random {

namespace {

constexpr Shape shape = shape_in(kokkos_shapes);
using On = Teams<shape_in(Place::device).threads / 32, shape_in(Place::device).teams, Lanes::one>;
using Index = On::Index;

template <class Rule>
struct OneNumber {
  Filling<Rule> s;
  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    constexpr int items = items_in(kokkos_shapes);
    const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * items;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{items}), [&](Index item) {
      const std::uint64_t i = first + static_cast<std::uint64_t>(item);
      if (i < s.n) s.out[i] = Rule::number(i, s.seed);
    });
  }
};

// The groups that have numbers.
template <int calls, class Rule>
KOKKOS_INLINE_FUNCTION std::uint64_t groups_of(const Filling<Rule>& s) {
  return ceil_div(s.n, std::uint64_t{Group<Rule, calls>::count});
}

// A group by one store; of the last group the numbers that the array has.
template <int calls, class Rule>
KOKKOS_INLINE_FUNCTION void store_group(const Filling<Rule>& s, std::uint64_t g) {
  using Pack = Group<Rule, calls>;
  const std::uint64_t first = g * Pack::count;
  const Pack made = group<Rule, calls>(g * calls, s.seed);
  if (g < s.n / Pack::count) {
    reinterpret_cast<Pack*>(s.out)[g] = made;
  } else {
#pragma unroll
    for (int j = 0; j < Pack::count; ++j) {
      if (first + static_cast<std::uint64_t>(j) < s.n)
        s.out[first + static_cast<std::uint64_t>(j)] = made.at[j];
    }
  }
}

template <class Rule>
struct OneCall {
  Filling<Rule> s;
  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    constexpr int items = items_in(kokkos_shapes);
    const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * items;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{items}), [&](Index item) {
      const std::uint64_t g = first + static_cast<std::uint64_t>(item);
      if (g < groups_of<1>(s)) store_group<1>(s, g);
    });
  }
};

template <class Rule>
struct ManyCalls {
  Filling<Rule> s;
  std::uint64_t tiles;
  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const Tiles own = tiles_of(kokkos_shapes, tiles, team.league_rank(), team.league_size());
    const std::uint64_t groups = groups_of<shape.calls>(s);
    const auto items = Kokkos::TeamVectorRange(team, Index{shape.groups});
    const auto group_at = [&](std::uint64_t tile, Index item) {
      return tile * shape.groups + static_cast<std::uint64_t>(item);
    };
    if constexpr (shape.threads == shape.groups) {  // a thread has one item
      Kokkos::parallel_for(items, [&](Index item) {
        for (std::uint64_t g = group_at(own.first, item); g < groups;
             g += own.step * shape.groups) {
          store_group<shape.calls>(s, g);
        }
      });
    } else {
      for (std::uint64_t tile = own.first; tile < own.end; tile += own.step) {
        Kokkos::parallel_for(items, [&](Index item) {
          const std::uint64_t g = group_at(tile, item);
          if (g < groups) store_group<shape.calls>(s, g);
        });
      }
    }
  }
};

template <class Rule>
std::uint64_t tiles_of_items(const Filling<Rule>& s, std::int64_t numbers) {
  return ceil_div(s.n, static_cast<std::uint64_t>(numbers));
}
template <class Kernel>
void launch(const Stream& stream, std::uint64_t teams, const Kernel& kernel) {
  if (teams == 0) return;
  require(teams <= On::most_teams, "more tiles than a league can hold");
  Kokkos::parallel_for("portcost::random", On::policy(stream, static_cast<int>(teams)), kernel);
}

constexpr auto one_number = []<class Rule>(const Filling<Rule>& s, const Stream& on) {
  launch(on, tiles_of_items(s, items_in(kokkos_shapes)), OneNumber<Rule>{s});
};
constexpr auto one_call = []<class Rule>(const Filling<Rule>& s, const Stream& on) {
  launch(on, tiles_of_items(s, items_in(kokkos_shapes) * Rule::of_call), OneCall<Rule>{s});
};
constexpr auto many_calls = []<class Rule>(const Filling<Rule>& s, const Stream& on) {
  const std::uint64_t tiles = tiles_of_items(s, shape.groups * shape.calls * Rule::of_call);
  launch(on, static_cast<std::uint64_t>(teams_of(kokkos_shapes, tiles, s.processors)),
         ManyCalls<Rule>{s, tiles});
};

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "one_number", one_number), rung(works, "one_call", one_call),
          rung(works, "many_calls", many_calls)};
}

}  // namespace portcost::random
