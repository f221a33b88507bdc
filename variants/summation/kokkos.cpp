// SPDX-License-Identifier: Apache-2.0
// Portable variants: an item adds its lanes of each of its team's rows in registers, a team joins
// the accumulators of 256 threads in scratch, a last launch the teams. On a host a team is one
// item, with all lanes.
#include "variants/shared/kokkos_team.hpp"
#include "variants/summation/problem.hpp"

namespace portcost::summation {

namespace {

constexpr Shape shape = shape_in(kokkos_shapes);
constexpr unsigned items = shape.items(), threads_of_an_item = threads / items;
using On = Teams<static_cast<int>(threads / 32), 0, Lanes::one>;
using Index = On::Index;
template <class T>
using Packed = Pack<T, kokkos_shapes>;
template <class T>
inline constexpr unsigned width = row<T> / items;  // lanes of an item

template <class F>
KOKKOS_INLINE_FUNCTION void for_items(const On::Member& team, unsigned count, const F& f) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{count}),
                       [&](Index id) { f(static_cast<unsigned>(id)); });
}

template <class Sum>
KOKKOS_INLINE_FUNCTION Sum* box_of(const On::Member& team) {
  return reinterpret_cast<Sum*>(
      On::scratch_unchecked<double>(team, static_cast<int>(threads * sizeof(Sum) / 8)));
}

// Joins the accumulators of a team's threads in the first, for one thread.
template <class Step, class Sum>
KOKKOS_INLINE_FUNCTION void join_team(const On::Member& team, Sum* box) {
  team.team_barrier();
  if constexpr (Step::tree) {
    for (unsigned half = threads / 2; half > 0; half /= 2) {
      for_items(team, half, [&](unsigned id) { box[id].join(box[id + half]); });
      team.team_barrier();
    }
  } else {
    Kokkos::single(Kokkos::PerTeam(team), [&] { Step::template join<threads>(box); });
  }
}

// Pack `at` of all; numbers past the end are 0.
template <class T>
KOKKOS_INLINE_FUNCTION Packed<T> load(const Launched<T>& s, std::uint64_t at) {
  constexpr unsigned length = Packed<T>::length;
  if ((at + 1) * length <= s.n) return reinterpret_cast<const Packed<T>*>(s.in)[at];
  Packed<T> some;
#pragma unroll
  for (unsigned j = 0; j < length; ++j) {
    some.at[j] = at * length + j < s.n ? s.in[at * length + j] : T(0);
  }
  return some;
}

// Item `id`'s lanes of a tile of pair_rows rows from row `first` on.
template <class Sum, class T>
KOKKOS_INLINE_FUNCTION void add_tile(const Launched<T>& s, std::uint64_t first, unsigned id,
                                     Sum (&sums)[width<T>]) {
  constexpr unsigned length = Packed<T>::length, packs = width<T> / length;
  for (unsigned c = 0; c < packs; ++c) {
    Packed<T> loaded[pair_rows];
#pragma unroll
    for (unsigned k = 0; k < pair_rows; ++k) {
      loaded[k] = load(s, (first + k) * (items * packs) + id * packs + c);
    }
#pragma unroll
    for (unsigned j = 0; j < length; ++j) {
      T of[pair_rows];
#pragma unroll
      for (unsigned k = 0; k < pair_rows; ++k) of[k] = loaded[k].at[j];
      sums[c * length + j].sum = add_pairs(of);
    }
  }
}

// Item `id`'s lanes of rows [first, end).
template <class Sum, class T>
KOKKOS_INLINE_FUNCTION void add_rows(const Launched<T>& s, std::uint64_t first, std::uint64_t end,
                                     unsigned id, Sum (&sums)[width<T>]) {
  constexpr unsigned length = Packed<T>::length, packs = width<T> / length;
  const std::uint64_t full = s.n / row<T>, whole = compat::min(end, full);
  const auto* const from = reinterpret_cast<const Packed<T>*>(s.in) + id * packs;
#pragma unroll 8
  for (std::uint64_t r = first; r < whole; ++r) {
    for (unsigned c = 0; c < packs; ++c) {
      const Packed<T> loaded = from[r * (items * packs) + c];
#pragma unroll
      for (unsigned j = 0; j < length; ++j) sums[c * length + j].add(loaded.at[j]);
    }
  }
  if (full < first || full >= end) return;
#pragma unroll
  for (unsigned j = 0; j < width<T>; ++j) {
    const std::uint64_t i = full * row<T> + id * width<T> + j;
    if (i < s.n) sums[j].add(s.in[i]);
  }
}

template <class Step, class T>
struct AddTeams {
  using Sum = typename Step::template Of<T>;
  Launched<T> s;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    Sum* const box = box_of<Sum>(team);
    const auto rank = static_cast<unsigned>(team.league_rank());
    const std::uint64_t first = std::uint64_t{rank} * s.rows;
    for_items(team, items, [&](unsigned id) {
      constexpr unsigned each = lanes_of_a_thread<T>;
      Sum sums[width<T>];
      if constexpr (Step::pairs) {
        add_tile(s, first, id, sums);
      } else {
        add_rows(s, first, first + s.rows, id, sums);
      }
#pragma unroll
      for (unsigned thread = 0; thread < threads_of_an_item; ++thread) {
        Step::template join<each>(sums + thread * each);
        box[id * threads_of_an_item + thread] = sums[thread * each];
      }
    });
    join_team<Step>(team, box);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (s.out != nullptr) {
        box[0].store(s.out);
      } else {
        static_cast<Sum*>(s.partials)[rank] = box[0];
      }
    });
  }
};

template <class Step, class T>
struct AddPartials {
  using Sum = typename Step::template Of<T>;
  const Sum* from;
  unsigned teams;
  T* out;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    if constexpr (Step::tree) {
      Sum* const box = box_of<Sum>(team);
      for_items(team, threads, [&](unsigned id) {
        constexpr unsigned each = most_teams / threads;
        Sum sums[each];
#pragma unroll
        for (unsigned k = 0; k < each; ++k) {
          if (id + k * threads < teams) sums[k] = from[id + k * threads];
        }
        Step::template join<each>(sums);
        box[id] = sums[0];
      });
      join_team<Step>(team, box);
      Kokkos::single(Kokkos::PerTeam(team), [&] { box[0].store(out); });
    } else {
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        Sum sum = from[0];
        for (unsigned i = 1; i < teams; ++i) sum.join(from[i]);
        sum.store(out);
      });
    }
  }
};

template <class T>
struct OneThread {
  Numbers<T> s;
  KOKKOS_FUNCTION void operator()(const int) const {
    Plain<T> sum;
    for (std::uint64_t i = 0; i < s.n; ++i) sum.add(s.in[i]);
    sum.store(s.out);
  }
};

template <class Step, class T>
void add(Step, const Numbers<T>& s, const Stream& stream) {
  using Sum = typename Step::template Of<T>;
  constexpr int scratch = scratch_bytes<double>(static_cast<int>(threads * sizeof(Sum) / 8));
  const auto add_teams = [&](const Launched<T>& one, int teams) {
    Kokkos::parallel_for("portcost::summation::add_teams", On::policy(stream, teams, scratch),
                         AddTeams<Step, T>{one});
  };
  launch_all(Step(), s, add_teams, [&](const Sum* from, int teams) {
    Kokkos::parallel_for("portcost::summation::add_partials", On::policy(stream, 1, scratch),
                         AddPartials<Step, T>{from, static_cast<unsigned>(teams), s.out});
  });
}

template <class T>
void add(Serial, const Numbers<T>& s, const Stream& stream) {
  Kokkos::parallel_for("portcost::summation::serial",
                       Kokkos::RangePolicy<KokkosSpace>(kokkos_space(stream), 0, 1),
                       OneThread<T>{s});
}

}  // namespace

Rungs kokkos_rungs() {
  return each_method([]<class Step>(Step, std::string_view name) {
    return rung(works, name, [](const auto& s, const Stream& on) { add(Step(), s, on); });
  });
}

}  // namespace portcost::summation
