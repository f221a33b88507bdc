// SPDX-License-Identifier: Apache-2.0
// Portable variants, tuned.
#include "variants/monte_carlo/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::monte_carlo {

namespace {

constexpr Shape shape = shape_in(kokkos_shapes);
constexpr int calls = shape.stored;  // of a group that is stored
using On = Teams<shape_in(Place::device).threads / 32, shape_in(Place::device).teams, Lanes::one>;
using Index = On::Index;

// A call's hits, where the problem has the call.
template <class T>
KOKKOS_INLINE_FUNCTION unsigned hits_at(const Drawing<T>& s, std::uint64_t call) {
  if (call > s.calls()) return 0;
  return hits_of<T>(philox(call, s.seed), call < s.calls() ? pairs_of_call<T> : s.rest());
}

// The sum over the team of of_item(i) for i in [first, end), in every thread.
template <class N, class F>
KOKKOS_INLINE_FUNCTION N add_items(const On::Member& team, std::uint64_t first, std::uint64_t end,
                                   const F& of_item) {
  N sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(team, static_cast<Index>(first), static_cast<Index>(end)),
      [&](const Index i, N& own) { own += of_item(static_cast<std::uint64_t>(i)); }, sum);
  return sum;
}

template <class T>
struct OnePair {
  Drawing<T> s;
  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * shape.items;
    const unsigned sum = add_items<unsigned>(team, first, first + shape.items,
                                             [&](std::uint64_t call) { return hits_at(s, call); });
    Kokkos::single(Kokkos::PerTeam(team), [&] { s.partials[team.league_rank()] = sum; });
  }
};

// The hits of the team's share of all whole groups; the first team's also of what is behind them.
template <class T>
KOKKOS_INLINE_FUNCTION std::uint64_t hits_of_share(const Drawing<T>& s, const On::Member& team) {
  constexpr int counted = shape.calls;
  const std::uint64_t groups = s.calls() / counted;
  const Share own = share_of(groups, team.league_rank(), team.league_size());
  std::uint64_t sum = add_items<HitsOfTeam<kokkos_shapes>>(
      team, own.first, own.end,
      [&](std::uint64_t group) { return hits_of_group<T, counted>(group * counted, s.seed); });
  if (team.league_rank() == 0) {
    for (std::uint64_t call = groups * counted; call <= s.calls(); ++call) sum += hits_at(s, call);
  }
  return sum;
}

template <class T, bool atomics>
struct ManyPairs {
  Drawing<T> s;
  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::uint64_t sum = hits_of_share(s, team);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if constexpr (atomics) {
        Kokkos::atomic_add(s.hits, sum);
      } else {
        s.partials[team.league_rank()] = sum;
      }
    });
  }
};

// One team. Also sets the sum of no partials, 0.
struct AddPartials {
  const std::uint64_t* partials;
  std::uint64_t count;
  std::uint64_t* hits;
  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::uint64_t sum =
        add_items<std::uint64_t>(team, 0, count, [&](std::uint64_t i) { return partials[i]; });
    Kokkos::single(Kokkos::PerTeam(team), [&] { *hits = sum; });
  }
};

// ---- The numbers in memory.

template <class T>
struct alignas(16) OfGroup {
  T at[calls * numbers_of_a_call<T>];
};

template <class T>
struct Generate {
  Drawing<T> s;
  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    constexpr int of_call = numbers_of_a_call<T>;
    const std::uint64_t groups = s.calls() / calls;
    const Share own = share_of(groups, team.league_rank(), team.league_size());
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, static_cast<Index>(own.end - own.first)), [&](Index item) {
          const std::uint64_t g = own.first + static_cast<std::uint64_t>(item);
          OfGroup<T> made;
          if constexpr (calls == 1) {
            const RandomWords words = philox(g, s.seed);
            for (int j = 0; j < of_call; ++j) made.at[j] = uniform<T>(words, j);
          } else {
            const RandomLanes<calls> words = philox_lanes<calls>(g * calls, s.seed);
            PORTCOST_LANES
            for (int l = 0; l < calls; ++l) {
              for (int j = 0; j < of_call; ++j) made.at[l * of_call + j] = uniform<T>(words[l], j);
            }
          }
          reinterpret_cast<OfGroup<T>*>(s.numbers)[g] = made;
        });
    if (team.league_rank() != 0) return;
    const std::uint64_t stored = groups * calls * of_call;
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, static_cast<Index>(2 * s.pairs - stored)), [&](Index item) {
          const std::uint64_t i = stored + static_cast<std::uint64_t>(item);
          s.numbers[i] = uniform<T>(philox(i / of_call, s.seed), static_cast<int>(i % of_call));
        });
  }
};

template <class T>
struct Count {
  Drawing<T> s;
  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::uint64_t groups = s.calls() / calls, stored = groups * calls * pairs_of_call<T>;
    const Share own = share_of(groups, team.league_rank(), team.league_size());
    const auto* const all = reinterpret_cast<const OfGroup<T>*>(s.numbers);
    std::uint64_t sum =
        add_items<HitsOfTeam<kokkos_shapes>>(team, own.first, own.end, [&](std::uint64_t group) {
          const OfGroup<T> one = all[group];
          unsigned hits = 0;
          PORTCOST_LANES_ADDING(hits)
          for (int p = 0; p < calls * pairs_of_call<T>; ++p) {
            hits += is_hit(one.at[2 * p], one.at[2 * p + 1]);
          }
          return hits;
        });
    if (team.league_rank() == 0) {
      for (std::uint64_t p = stored; p < s.pairs; ++p) {
        sum += is_hit(s.numbers[2 * p], s.numbers[2 * p + 1]);
      }
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { s.partials[team.league_rank()] = sum; });
  }
};

template <class Kernel>
void launch(const Stream& stream, std::uint64_t teams, const Kernel& kernel) {
  require(teams <= On::most_teams, "more tiles than a league can hold");
  Kokkos::parallel_for("portcost::monte_carlo", On::policy(stream, static_cast<int>(teams)),
                       kernel);
}
template <class T>
std::uint64_t resident(const Drawing<T>& s) {
  return static_cast<std::uint64_t>(teams_of(kokkos_shapes, s.processors));
}

constexpr auto one_pair = []<class T>(const Drawing<T>& s, const Stream& on) {
  const std::uint64_t teams = teams_of_one_pair<T>(kokkos_shapes, s.pairs);
  launch(on, teams, OnePair<T>{s});
  launch(on, 1, AddPartials{s.partials, teams, s.hits});
};
constexpr auto many_pairs = []<class T>(const Drawing<T>& s, const Stream& on) {
  launch(on, resident(s), ManyPairs<T, false>{s});
  launch(on, 1, AddPartials{s.partials, resident(s), s.hits});
};
constexpr auto stored = []<class T>(const Drawing<T>& s, const Stream& on) {
  launch(on, resident(s), Generate<T>{s});
  launch(on, resident(s), Count<T>{s});
  launch(on, 1, AddPartials{s.partials, resident(s), s.hits});
};
constexpr auto block_atomics = []<class T>(const Drawing<T>& s, const Stream& on) {
  using Hits = Kokkos::View<std::uint64_t, KokkosSpace::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(kokkos_space(on), Hits(s.hits), std::uint64_t{0});
  launch(on, resident(s), ManyPairs<T, true>{s});
};

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "one_pair", one_pair), rung(works, "many_pairs", many_pairs),
          rung(works, "stored", stored).unless(too_many_to_store),
          rung(works, "block_atomics", block_atomics)};
}

}  // namespace portcost::monte_carlo
