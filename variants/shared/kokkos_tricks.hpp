// SPDX-License-Identifier: Apache-2.0
// A single trick of kokkos_team.hpp on the forms by the book, so that its gain is measured alone:
// the dial trick=NAME. A source that tricks.cmake writes compiles book.hpp and book.cpp of an
// algorithm once more, in which the name Kokkos means portcost::tricks::NAME. This namespace hides
// the few names of Kokkos that the trick replaces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "src/contract/rung.hpp"
#include "src/support/error.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::tricks {

/// Of `rungs` those of the steps, with the dial.
inline Rungs with_dial(Rungs rungs, std::string_view dial,
                       std::initializer_list<std::string_view> steps) {
  std::erase_if(rungs, [&](const Rung& one) { return std::ranges::count(steps, one.step) == 0; });
  for (Rung& one : rungs) one.dials = dial;
  return rungs;
}

/// A kernel whose teams are told to a device's compiler (Teams::begin).
template <class On, class Kernel>
struct OfKnownTeams {
  Kernel kernel;
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    kernel(team);
  }
};

/// The team's size is told to the compiler, and that a block has one team.
namespace team_size {
using namespace Kokkos;
using Kokkos::parallel_for;
template <class Space, unsigned threads, unsigned teams, class Kernel>
void parallel_for(const std::string& label,
                  const Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, teams>>& policy,
                  const Kernel& kernel) {
  using Warps = Teams<threads / 32, 0, Lanes::warp>;
  using Threads = Teams<threads / 32, 0, Lanes::one>;
  if constexpr (kokkos_on_host) {
    Kokkos::parallel_for(label, policy, kernel);
  } else if (policy.team_size() == threads) {
    Kokkos::parallel_for(label, policy, OfKnownTeams<Threads, Kernel>{kernel});
  } else {
    require(policy.team_size() * 32 == threads, "teams of neither 1 nor 32 lanes a thread");
    Kokkos::parallel_for(label, policy, OfKnownTeams<Warps, Kernel>{kernel});
  }
}
}  // namespace team_size

/// Ranges inside a team are counted in 64 signed bits.
namespace index64 {
using namespace Kokkos;
template <class Team, class... Ends>
KOKKOS_INLINE_FUNCTION auto TeamThreadRange(const Team& team, Ends... ends) {
  return Kokkos::TeamThreadRange(team, static_cast<std::int64_t>(ends)...);
}
template <class Team, class... Ends>
KOKKOS_INLINE_FUNCTION auto ThreadVectorRange(const Team& team, Ends... ends) {
  return Kokkos::ThreadVectorRange(team, static_cast<std::int64_t>(ends)...);
}
template <class Team, class... Ends>
KOKKOS_INLINE_FUNCTION auto TeamVectorRange(const Team& team, Ends... ends) {
  return Kokkos::TeamVectorRange(team, static_cast<std::int64_t>(ends)...);
}
}  // namespace index64

/// Both of these.
namespace straight_ranges {
using namespace Kokkos;
using index64::TeamThreadRange;
using index64::TeamVectorRange;
using index64::ThreadVectorRange;
using team_size::parallel_for;
}  // namespace straight_ranges

/// Scratch is a raw pointer, aligned and checked in no thread.
namespace raw_scratch {
using namespace Kokkos;
template <class Data, class... Properties>
struct View : Kokkos::View<Data, Properties...> {
  using Kokkos::View<Data, Properties...>::View;
};
using Scratch = KokkosSpace::scratch_memory_space;
template <class T, class Traits>
struct View<T*, Scratch, Traits> {
  KOKKOS_INLINE_FUNCTION View(const Scratch& from, int count)
      : first(static_cast<T*>(from.get_shmem(count * static_cast<int>(sizeof(T))))) {}
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(int i) const { return first[i]; }
  static std::size_t shmem_size(int count) {
    return Kokkos::View<T*, Scratch, Traits>::shmem_size(count);
  }
  T* first;
};
template <class T, class Traits>
struct View<T**, LayoutRight, Scratch, Traits> {
  KOKKOS_INLINE_FUNCTION View(const Scratch& from, int rows, int columns)
      : first(static_cast<T*>(from.get_shmem(rows * columns * static_cast<int>(sizeof(T))))),
        pitch(columns) {}
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(int i, int j) const { return first[i * pitch + j]; }
  static std::size_t shmem_size(int rows, int columns) {
    return Kokkos::View<T**, LayoutRight, Scratch, Traits>::shmem_size(rows, columns);
  }
  T* first;
  int pitch;
};
}  // namespace raw_scratch

/// Fences inside a team are the team's, not the device's.
namespace team_fence {
using namespace Kokkos;
KOKKOS_INLINE_FUNCTION void store_fence() { Teams<1>::store_fence(); }
KOKKOS_INLINE_FUNCTION void load_fence() { Teams<1>::load_fence(); }
}  // namespace team_fence

/// Atomic loads, an atomic_fetch_add of 0 included, are volatile reads.
namespace volatile_load {
using namespace Kokkos;
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_load(T* at) {
  return portcost::atomic_load(at);
}
template <class T>
KOKKOS_INLINE_FUNCTION T atomic_fetch_add(T* at, T add) {
  return add == 0 ? portcost::atomic_load(at) : Kokkos::atomic_fetch_add(at, add);
}
}  // namespace volatile_load

}  // namespace portcost::tricks

template <class Data, class... Properties>
struct Kokkos::is_view<portcost::tricks::raw_scratch::View<Data, Properties...>> : std::true_type {
};
