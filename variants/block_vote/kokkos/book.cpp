// SPDX-License-Identifier: Apache-2.0
#include "variants/block_vote/kokkos/book.hpp"

#include "variants/block_vote/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::block_vote {

namespace {

static_assert(book::tile_size == tile_size && book::team_threads == team_threads &&
              book::warps == tile_warps);

template <class T>
book::Field<T> field_of(const Field<T>& s) {
  using Packs = book::Line<const book::Pack<T>>;
  return {book::Line<const T>(s.in, s.n),
          Packs(reinterpret_cast<const book::Pack<T>*>(s.in), s.n / book::Pack<T>::length),
          book::Numbers(s.out, s.tiles())};
}

// f(space, field).
template <class F>
Rung step(std::string_view name, const F& f) {
  return rung(works, name,
              [=](const auto& s, const Stream& on) {
                if (s.n > 0) f(kokkos_space(on), field_of(s));
              })
      .written(Way::book);
}

}  // namespace

Rungs kokkos_book_rungs() {
  const auto barrier_vote = [](const auto& space, const auto& field) {
    book::barrier_vote<static_cast<int>(voters(kokkos_shapes))>(space, team_size(4), field);
  };
  const auto warp_tile = [](const auto& space, const auto& field) {
    if constexpr (kokkos_shapes == Place::device) {
      book::warp_tile(space, team_size(4), field);
    } else {
      book::warp_tile_of_hosts(space, field);
    }
  };
  return {
      step("barrier_vote", barrier_vote),
      step("warp_vote", [](const auto& space,
                           const auto& field) { book::warp_vote(space, team_size(4), field); }),
      step("packed_vote", [](const auto& space,
                             const auto& field) { book::packed_vote(space, team_size(4), field); }),
      step("warp_tile", warp_tile)};
}

}  // namespace portcost::block_vote
