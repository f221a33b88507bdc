// SPDX-License-Identifier: Apache-2.0
// Tuned portable kernel of whole_matrices.
#pragma once

#include <cstdint>

#include "variants/shared/kokkos_team.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

// A chunk of A, whole matrices, goes through scratch to the same chunk of B.
template <class T>
struct WholeMatrices {
  using Small = SmallMatrices<T>;
  using On = Teams<Small::warps, Small::held>;
  using Index = typename On::Index;
  static constexpr int scratch() { return scratch_bytes<T>(Small::room); }
  Places<T> s;
  Small small;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const std::uint64_t first = small.first(team.league_rank());
    const int count = small.count(first);
    T* const scratch = On::template scratch<T>(team, Small::room);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Small::threads}), [&](Index item) {
      load(scratch, s.a + first, On::of_team(team, static_cast<int>(item)), count);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{Small::threads}), [&](Index item) {
      store(s.b + first, scratch, On::of_team(team, static_cast<int>(item)), count);
    });
  }

  KOKKOS_FUNCTION void load(T* scratch, const T* from, int item, int count) const {
    T own[Small::own] = {};
#pragma unroll
    for (int k = 0; k < Small::own; ++k) {
      const int at = item + k * Small::threads;
      if (at < count) own[k] = from[at];
    }
#pragma unroll
    for (int k = 0; k < Small::own; ++k) {
      const int at = item + k * Small::threads;
      if (at >= count) break;
      scratch[small.place(at)] = own[k];
    }
  }
  KOKKOS_FUNCTION void store(T* to, const T* scratch, int item, int count) const {
#pragma unroll
    for (int k = 0; k < Small::own; ++k) {
      const int at = item + k * Small::threads;
      if (at >= count) break;
      to[at] = scratch[small.source(at)];
    }
  }
};

}  // namespace portcost::transpose
