// SPDX-License-Identifier: Apache-2.0
// The three votes as one reduction, so that a range reads each element once.
#pragma once

#include "variants/block_vote/problem.hpp"
#include "variants/kokkos_space.hpp"

namespace portcost::block_vote {

/// What elements say together; of none: none is other than zero, none is NaN, all are in range.
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
  KOKKOS_INLINE_FUNCTION void write(int* out) const {
    out[0] = some;
    out[1] = nan;
    out[2] = all;
  }
};

/// A reducer of Kokkos. (A parallel_reduce with a reducer for each number needs Kokkos 4.1.)
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

}  // namespace portcost::block_vote
