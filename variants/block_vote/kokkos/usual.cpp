// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (The Kokkos Lectures, modules 2 and 4):
// Views; a team a tile, of whatever size Kokkos chooses, with a nested reduction; or a range over
// the tiles.
#include <cstdint>

#include "variants/block_vote/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::block_vote {

// What elements say together; of none: none is other than zero, none is NaN, all are in range.
struct Votes {
  int some = 0, nan = 0, all = 1;

  template <class T>
  KOKKOS_INLINE_FUNCTION void add(T x) {
    some += non_zero(x);
    nan |= is_nan(x);
    all &= in_range(x);
  }
  KOKKOS_INLINE_FUNCTION void operator+=(const Votes& other) {
    some += other.some;
    nan |= other.nan;
    all &= other.all;
  }
};

}  // namespace portcost::block_vote

// Makes Votes what Kokkos::Sum adds up, so that a range reads each element once. (A parallel_reduce
// with a reducer for each number needs Kokkos 4.1.)
template <>
struct Kokkos::reduction_identity<portcost::block_vote::Votes> {
  KOKKOS_FUNCTION static portcost::block_vote::Votes sum() { return {}; }
};

namespace portcost::block_vote {

namespace {

using Memory = KokkosSpace::memory_space;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
// Three numbers a tile.
using Numbers = Kokkos::View<int* [numbers], Kokkos::LayoutRight, Memory, Unmanaged>;
template <class T>
using Elements = Kokkos::View<const T*, Memory, Unmanaged>;

// The form without dials.
template <class T>
void teams(const Field<T>& s, const Stream& stream) {
  if (s.n == 0) return;
  using Policy = Kokkos::TeamPolicy<KokkosSpace>;
  const auto n = static_cast<std::int64_t>(s.n);
  const Elements<T> in(s.in, s.n);
  const Numbers out(s.out, s.tiles());
  Kokkos::parallel_for(
      "portcost::block_vote::usual",
      Policy(kokkos_space(stream), static_cast<int>(s.tiles()), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int tile = team.league_rank();
        const std::int64_t first = std::int64_t{tile} * int{tile_size};
        const int size = static_cast<int>(compat::min(n - first, std::int64_t{tile_size}));
        Votes votes;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, size),
            [&](const int i, Votes& mine) { mine.add(in(first + i)); }, Kokkos::Sum<Votes>(votes));
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          out(tile, 0) = votes.some;
          out(tile, 1) = votes.nan;
          out(tile, 2) = votes.all;
        });
      });
}

// A tile an index.
template <class Index, class T>
void range(const Field<T>& s, const Stream& stream) {
  const auto n = static_cast<std::int64_t>(s.n);
  const Elements<T> in(s.in, s.n);
  const Numbers out(s.out, s.tiles());
  Kokkos::parallel_for(
      "portcost::block_vote::usual",
      RangeOf<Index>(kokkos_space(stream), 0, static_cast<Index>(s.tiles())),
      KOKKOS_LAMBDA(const Index tile) {
        const std::int64_t first = std::int64_t{tile} * int{tile_size};
        const int size = static_cast<int>(compat::min(n - first, std::int64_t{tile_size}));
        Votes votes;
        for (int i = 0; i < size; ++i) votes.add(in(first + i));
        out(tile, 0) = votes.some;
        out(tile, 1) = votes.nan;
        out(tile, 2) = votes.all;
      });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "barrier_vote", f).written(Way::usual, dials);
  };
  return {usual("", [](const auto& s, const Stream& on) { teams(s, on); }),
          usual("policy=range", [](const auto& s, const Stream& on) { range<int>(s, on); }),
          usual("policy=range,index=int64",
                [](const auto& s, const Stream& on) { range<std::int64_t>(s, on); })};
}

}  // namespace portcost::block_vote
