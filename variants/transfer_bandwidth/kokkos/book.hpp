// SPDX-License-Identifier: Apache-2.0
// transfer_bandwidth's kernels by the book: plain Kokkos, which needs Kokkos alone. An end of a
// transfer may be memory of the other side of the link, which a kernel reads or writes itself.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace portcost::transfer_bandwidth::book {

using Space = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
struct alignas(16) Pack {
  std::uint32_t words[4];
};

/// mapped_to_device and mapped_to_host: a team copies 256 packs, each thread or lane a pack, or, of
/// a pack that the array's end cuts off, its bytes.
inline void copy_packs(const Space& space, int team_size, Array<const std::byte> from,
                       Array<std::byte> to, Array<const Pack> from_packs, Array<Pack> to_packs) {
  using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<256>>;
  const std::size_t bytes = to.extent(0), packs = (bytes + 15) / 16, teams = (packs + 255) / 256;
  Kokkos::parallel_for(
      "transfer_bandwidth::book::copy_packs", Teams(space, static_cast<int>(teams), team_size, 32),
      KOKKOS_LAMBDA(const Teams::member_type& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * 256;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 256), [&](int item) {
          const std::size_t i = first + item;
          if (i < to_packs.extent(0)) {
            to_packs(i) = from_packs(i);
          } else if (i < packs) {
            for (std::size_t at = i * 16; at < bytes; ++at) to(at) = from(at);
          }
        });
      });
}

/// within_host: a team of one thread copies a part of the pages.
inline void copy_parts(const Space& space, int parts, Array<const std::byte> from,
                       Array<std::byte> to) {
  using Teams = Kokkos::TeamPolicy<Space>;
  constexpr std::size_t page = 4096;
  const std::size_t bytes = to.extent(0), pages = (bytes + page - 1) / page;
  Kokkos::parallel_for(
      "transfer_bandwidth::book::copy_parts", Teams(space, parts, 1),
      KOKKOS_LAMBDA(const Teams::member_type& team) {
        const auto begin_of = [&](int part) {
          const auto p = static_cast<std::size_t>(part), n = static_cast<std::size_t>(parts);
          const std::size_t at = (pages / n * p + pages % n * p / n) * page;
          return at < bytes ? at : bytes;
        };
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          const std::size_t begin = begin_of(team.league_rank());
          const std::size_t end = begin_of(team.league_rank() + 1);
          if (begin < end) std::memcpy(&to(begin), &from(begin), end - begin);
        });
      });
}

}  // namespace portcost::transfer_bandwidth::book
