// SPDX-License-Identifier: Apache-2.0
#include "variants/in_flight/kokkos/book.hpp"

#include "variants/in_flight/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::in_flight {

namespace {

static_assert(threads == 64 && line == 16 && most_threads / threads == 32, "as book.hpp has them");

template <int loads>
void read(const Reading& s, const Stream& on) {
  const auto n = static_cast<std::size_t>(s.n), workers = static_cast<std::size_t>(s.workers);
  const book::Numbers a(s.a, n);
  if constexpr (kokkos_shapes == Place::device) {
    book::read_pieces<loads>(kokkos_space(on), team_size(warps), s.workers / threads, a,
                             book::Pieces<loads>(s.a, n / (loads * threads)),
                             book::TeamSums(s.sums, workers / threads));
  } else {
    book::read_lines<loads>(kokkos_space(on), team_size(1), Walk(s.n).apart, a,
                            book::Lines(s.a, n / line), book::Sums(s.sums, workers));
  }
}

}  // namespace

Rungs kokkos_book_rungs() {
  Rungs result{rung(works, "loads_1", read<1>).written(Way::book),
               rung(works, "loads_2", read<2>).written(Way::book),
               rung(works, "loads_4", read<4>).written(Way::book),
               rung(works, "loads_8", read<8>).written(Way::book),
               rung(works, "loads_16", read<16>).written(Way::book)};
  if constexpr (kokkos_shapes == Place::device) {
    for (Rung& one : result) one.unfit = no_whole_teams;
  }
  return result;
}

}  // namespace portcost::in_flight
