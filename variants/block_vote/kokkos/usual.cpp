// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (The Kokkos Lectures, modules 2 and 4):
// Views; a team a tile, of whatever size Kokkos chooses, with a nested reduction; or a range over
// the tiles.
#include <cstdint>

#include "variants/block_vote/problem.hpp"
#include "variants/kokkos_space.hpp"

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
  KOKKOS_INLINE_FUNCTION void join(const Votes& other) {
    some += other.some;
    nan |= other.nan;
    all &= other.all;
  }
};

// A reducer of Kokkos, so that a range reads each element once. (A parallel_reduce with a reducer
// for each number needs Kokkos 4.1.)
class AllVotes {
 public:
  using reducer = AllVotes;
  using value_type = Votes;
  using result_view_type =
      Kokkos::View<Votes, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_INLINE_FUNCTION explicit AllVotes(Votes& result) : result_(result) {}
  KOKKOS_INLINE_FUNCTION void join(Votes& into, const Votes& from) const { into.join(from); }
  KOKKOS_INLINE_FUNCTION void init(Votes& votes) const { votes = Votes(); }
  KOKKOS_INLINE_FUNCTION Votes& reference() const { return result_; }
  KOKKOS_INLINE_FUNCTION result_view_type view() const { return result_view_type(&result_); }
  KOKKOS_INLINE_FUNCTION static constexpr bool references_scalar() { return true; }

 private:
  Votes& result_;
};

namespace {

using Memory = KokkosSpace::memory_space;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

// The elements, and a row of three numbers a tile.
template <class T>
struct Arrays {
  explicit Arrays(const Field<T>& s)
      : in(s.in, static_cast<std::size_t>(s.n)),
        out(s.out, s.tiles()),
        n(static_cast<std::int64_t>(s.n)) {}

  KOKKOS_FUNCTION std::int64_t first(int tile) const { return std::int64_t{tile} * int{tile_size}; }
  // How many elements the tile has.
  KOKKOS_FUNCTION int size(int tile) const {
    return static_cast<int>(compat::min(n - first(tile), std::int64_t{tile_size}));
  }
  KOKKOS_FUNCTION void write(int tile, const Votes& votes) const {
    out(tile, 0) = votes.some;
    out(tile, 1) = votes.nan;
    out(tile, 2) = votes.all;
  }

  Kokkos::View<const T*, Memory, Unmanaged> in;
  Kokkos::View<int* [numbers], Kokkos::LayoutRight, Memory, Unmanaged> out;
  std::int64_t n;
};

template <class T>
void teams(const Field<T>& s, const Stream& stream) {
  if (s.n == 0) return;
  using Policy = Kokkos::TeamPolicy<KokkosSpace>;
  const Arrays<T> arrays(s);
  Kokkos::parallel_for(
      "portcost::block_vote::usual",
      Policy(kokkos_space(stream), static_cast<int>(s.tiles()), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int tile = team.league_rank();
        const std::int64_t first = arrays.first(tile);
        Votes votes;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, arrays.size(tile)),
            [&](const int i, Votes& mine) { mine.add(arrays.in(first + i)); }, AllVotes(votes));
        Kokkos::single(Kokkos::PerTeam(team), [&] { arrays.write(tile, votes); });
      });
}

template <class T>
void range(const Field<T>& s, const Stream& stream) {
  const Arrays<T> arrays(s);
  Kokkos::parallel_for(
      "portcost::block_vote::usual",
      Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<int>>(kokkos_space(stream), 0,
                                                               static_cast<int>(s.tiles())),
      KOKKOS_LAMBDA(const int tile) {
        const std::int64_t first = arrays.first(tile);
        const int size = arrays.size(tile);
        Votes votes;
        for (int i = 0; i < size; ++i) votes.add(arrays.in(first + i));
        arrays.write(tile, votes);
      });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "barrier_vote", f).written(Way::usual, dials);
  };
  return {usual("", [](const auto& s, const Stream& on) { teams(s, on); }),
          usual("policy=range", [](const auto& s, const Stream& on) { range(s, on); })};
}

}  // namespace portcost::block_vote
