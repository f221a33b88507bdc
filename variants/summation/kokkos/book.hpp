// SPDX-License-Identifier: Apache-2.0
// summation by the book: plain Kokkos, which needs Kokkos and rule.hpp alone. An item
// adds its lanes of a team's rows; a team joins the accumulators of 256 threads in scratch.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "variants/summation/rule.hpp"

namespace portcost::summation::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256>>;
using Member = Teams::member_type;
template <class T>
using Vector = Kokkos::View<T*, Space, Unmanaged>;
template <class T>
using Scratch = Kokkos::View<T*, Space::scratch_memory_space, Unmanaged>;

/// Joins the accumulators of a team's threads into the first, with barriers before and after.
template <class Step, class Sum>
KOKKOS_INLINE_FUNCTION void join_team(const Member& team, const Scratch<Sum>& box) {
  team.team_barrier();
  if constexpr (Step::tree) {
    for (int half = static_cast<int>(threads) / 2; half > 0; half /= 2) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, half),
                           [&](int id) { box(id).join(box(id + half)); });
      team.team_barrier();
    }
  } else {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int i = 1; i < static_cast<int>(threads); ++i) box(0).join(box(i));
    });
    team.team_barrier();
  }
}

/// Numbers that are loaded at once.
template <class T, int bytes>
struct alignas(bytes) Pack {
  static constexpr int length = bytes / static_cast<int>(sizeof(T));
  T at[length];
};
/// An array, aligned to `bytes`, as single numbers and as full packs. The pack past the last full
/// pack has zeros past the end.
template <class T, int bytes>
struct Numbers {
  using Wide = Pack<T, bytes>;
  Vector<const T> one;
  Vector<const Wide> packs;

  Numbers(const T* memory, std::size_t count)
      : one(memory, count), packs(reinterpret_cast<const Wide*>(memory), count / Wide::length) {}
  KOKKOS_FUNCTION Wide pack(std::size_t at) const {
    if (at < packs.extent(0)) return packs(at);
    Wide result;
    for (int j = 0; j < Wide::length; ++j) {
      const std::size_t i = at * Wide::length + static_cast<std::size_t>(j);
      result.at[j] = i < one.extent(0) ? one(i) : T(0);
    }
    return result;
  }
};

/// Adds item `id`'s lanes of the rows [first, first + rows) to `sums`.
template <class Step, int items, class Sum, class T, int bytes>
KOKKOS_INLINE_FUNCTION void add_lanes(const Numbers<T, bytes>& in, std::size_t first,
                                      std::size_t rows, int id, Sum* sums) {
  constexpr int length = bytes / static_cast<int>(sizeof(T));
  constexpr int packs = static_cast<int>(row<T>) / items / length;
  const auto at = [&](std::size_t r, int c) {
    return r * static_cast<std::size_t>(items * packs) + static_cast<std::size_t>(id * packs + c);
  };
  if constexpr (Step::pairs) {
    for (int c = 0; c < packs; ++c) {
      Pack<T, bytes> loaded[pair_rows];
      for (unsigned k = 0; k < pair_rows; ++k) loaded[k] = in.pack(at(first + k, c));
      for (int j = 0; j < length; ++j) {
        T of[pair_rows];
        for (unsigned k = 0; k < pair_rows; ++k) of[k] = loaded[k].at[j];
        sums[c * length + j].sum = add_pairs(of);
      }
    }
  } else {
    const std::size_t full = in.one.extent(0) / row<T>, end = first + rows;
#pragma unroll 8
    for (std::size_t r = first; r < (end < full ? end : full); ++r) {
      for (int c = 0; c < packs; ++c) {
        const Pack<T, bytes> loaded = in.packs(at(r, c));
        for (int j = 0; j < length; ++j) sums[c * length + j].add(loaded.at[j]);
      }
    }
    if (full < first || full >= end) return;
    for (int c = 0; c < packs; ++c) {
      const Pack<T, bytes> loaded = in.pack(at(full, c));
      for (int j = 0; j < length; ++j) sums[c * length + j].add(loaded.at[j]);
    }
  }
}

/// Each team adds `rows` rows and stores its accumulator in `partials`; if `out` has elements, the
/// only team stores its pair in `out`.
template <class Step, int items, class T, int bytes>
void add_teams(const Space& space, int teams, int team_size, std::size_t rows, Numbers<T, bytes> in,
               Vector<typename Step::template Of<T>> partials, Vector<T> out) {
  using Sum = typename Step::template Of<T>;
  Teams policy(space, teams, team_size, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch<Sum>::shmem_size(threads)));
  Kokkos::parallel_for(
      "summation::book::add_teams", policy, KOKKOS_LAMBDA(const Member& team) {
        constexpr int each = static_cast<int>(lanes_of_a_thread<T>);
        constexpr int mine = static_cast<int>(threads) / items;
        const Scratch<Sum> box(team.team_scratch(0), threads);
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * rows;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, items), [&](int id) {
          Sum sums[mine * each];
          add_lanes<Step, items>(in, first, rows, id, sums);
          for (int thread = 0; thread < mine; ++thread) {
            Step::template join<lanes_of_a_thread<T>>(sums + thread * each);
            box(id * mine + thread) = sums[thread * each];
          }
        });
        join_team<Step, Sum>(team, box);
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          if (out.extent(0) > 0) {
            box(0).store(out.data());
          } else {
            partials(team.league_rank()) = box(0);
          }
        });
      });
}

/// One team joins the accumulators of all teams.
template <class Step, class T>
void add_partials(const Space& space, int team_size,
                  Vector<const typename Step::template Of<T>> from, Vector<T> out) {
  using Sum = typename Step::template Of<T>;
  Teams policy(space, 1, team_size, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch<Sum>::shmem_size(threads)));
  Kokkos::parallel_for(
      "summation::book::add_partials", policy, KOKKOS_LAMBDA(const Member& team) {
        constexpr int items = static_cast<int>(threads),
                      each = static_cast<int>(most_teams) / items;
        const int teams = static_cast<int>(from.extent(0));
        T* const pair = out.data();
        const Scratch<Sum> box(team.team_scratch(0), items);
        if constexpr (Step::tree) {
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, items), [&](int id) {
            Sum sums[each];
            for (int k = 0; k < each; ++k) {
              if (id + k * items < teams) sums[k] = from(id + k * items);
            }
            Step::template join<static_cast<unsigned>(each)>(sums);
            box(id) = sums[0];
          });
          join_team<Step, Sum>(team, box);
          Kokkos::single(Kokkos::PerTeam(team), [&] { box(0).store(pair); });
        } else {
          Kokkos::single(Kokkos::PerTeam(team), [&] {
            Sum sum = from(0);
            for (int i = 1; i < teams; ++i) sum.join(from(i));
            sum.store(pair);
          });
        }
      });
}

/// serial: one team of one thread.
template <class T>
void serial(const Space& space, Vector<const T> in, Vector<T> out) {
  Kokkos::parallel_for(
      "summation::book::serial", Teams(space, 1, 1, 1), KOKKOS_LAMBDA(const Member& team) {
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          Plain<T> sum;
          for (std::size_t i = 0; i < in.extent(0); ++i) sum.add(in(i));
          sum.store(out.data());
        });
      });
}

}  // namespace portcost::summation::book
