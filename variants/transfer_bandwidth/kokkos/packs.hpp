// SPDX-License-Identifier: Apache-2.0
// Packs that teams copy from or to memory across the link, tuned and by the book: a thread a pack,
// as the native kernel.
#pragma once

#include "variants/shared/kokkos_team.hpp"
#include "variants/transfer_bandwidth/kokkos/book.hpp"
#include "variants/transfer_bandwidth/problem.hpp"

namespace portcost::transfer_bandwidth {

struct PackTeams {
  using On = Teams<pack_threads / 32, 0, Lanes::one>;
  using Index = On::Index;
  KernelEnds ends;
  std::int64_t packs;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    const std::int64_t first = std::int64_t{team.league_rank()} * pack_threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Index{pack_threads}), [&](Index item) {
      if (first + item < packs) ends.move(first + item);
    });
  }
};

inline void copy_packs(const KernelEnds& ends, const Stream& on) {
  const std::int64_t league = ceil_div(ends.packs(), std::int64_t{pack_threads});
  require(league <= PackTeams::On::most_teams, "more packs than a league has teams for");
  Kokkos::parallel_for("portcost::transfer_bandwidth::mapped",
                       PackTeams::On::policy(on, static_cast<int>(league)),
                       PackTeams{ends, ends.packs()});
}

/// By the book, with the memory as Views.
inline void copy_by_the_book(const KernelEnds& ends, const Stream& on) {
  static_assert(pack_threads == 256 && pack_bytes == 16, "as book.hpp has them");
  const auto bytes = static_cast<std::size_t>(ends.bytes), whole = bytes / sizeof(book::Pack);
  require(bytes < std::size_t{1} << 42, "more packs than a league has teams for");
  book::copy_packs(
      kokkos_space(on), team_size(pack_threads / 32),
      book::Array<const std::byte>(ends.source, bytes), book::Array<std::byte>(ends.target, bytes),
      book::Array<const book::Pack>(reinterpret_cast<const book::Pack*>(ends.source), whole),
      book::Array<book::Pack>(reinterpret_cast<book::Pack*>(ends.target), whole));
}

}  // namespace portcost::transfer_bandwidth
