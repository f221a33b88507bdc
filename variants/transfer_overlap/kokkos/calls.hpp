// SPDX-License-Identifier: Apache-2.0
// What a call is in Kokkos: a deep_copy or a parallel_for on an execution-space instance.
#pragma once

#include <limits>

#include "variants/shared/kokkos_team.hpp"
#include "variants/transfer_overlap/problem.hpp"

namespace portcost::transfer_overlap {

using Space = KokkosSpace;
using Device = Space::memory_space;
#if PORTCOST_HAS_CUDA
using Host = Kokkos::SharedHostPinnedSpace;
#else
using Host = Kokkos::HostSpace;
#endif

template <class T, class Memory>
using Elements = Kokkos::View<T*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The Views of a piece's two ends.
template <class T>
Elements<T, Host> on_host(T* a, const Piece& p) {
  return Elements<T, Host>(a + p.first, static_cast<std::size_t>(p.count));
}
template <class T>
Elements<T, Device> on_device(T* room, const Piece& p) {
  return Elements<T, Device>(room + p.at, static_cast<std::size_t>(p.count));
}

/// The work on a piece, elements first .. first + data.extent(0) - 1 of the array.
template <class T>
struct Increase {
  Elements<T, Device> data;
  std::int64_t first;

  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i) const {
    data(i) = increased(data(i), static_cast<T>(first + i));
  }
};

/// The usual kernel: a range in the space's own index type, as long as that reaches.
struct ByRange {
  template <class T>
  static void increase(const Space& space, T* room, const Piece& p) {
    const Increase<T> body{on_device(room, p), p.first};
    const char* const label = "portcost::transfer_overlap::increase";
    if (p.count <= std::numeric_limits<int>::max()) {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(p.count)),
                           body);
    } else {
      using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
      Kokkos::parallel_for(label, Policy(space, 0, p.count), body);
    }
  }
};

/// The team kernel: a thread an element, in teams of as many threads as the native blocks have.
template <class T>
struct IncreaseTeams {
  using On = Teams<kernel_threads / 32, 0, Lanes::one>;
  using Index = On::Index;
  T* at;
  std::int64_t first, count;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::int64_t begin = std::int64_t{team.league_rank()} * kernel_threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{kernel_threads}), [&](Index item) {
      const std::int64_t i = begin + item;
      if (i < count) at[i] = increased(at[i], static_cast<T>(first + i));
    });
  }
};
struct ByTeams {
  template <class T>
  static void increase(const Space& space, T* room, const Piece& p) {
    using Made = IncreaseTeams<T>;
    static_assert(most_elements / kernel_threads <= Made::On::most_teams);
    const auto league = static_cast<int>(ceil_div(p.count, std::int64_t{kernel_threads}));
    Kokkos::parallel_for("portcost::transfer_overlap::increase", Made::On::policy(space, league),
                         Made{room + p.at, p.first, p.count});
  }
};

}  // namespace portcost::transfer_overlap
