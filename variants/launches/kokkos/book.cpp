// SPDX-License-Identifier: Apache-2.0
// Hands the harness's memory to the kernel of book.hpp.
#include "variants/launches/kokkos/book.hpp"

#include "variants/launches/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::launches {

namespace {

void in_turn(const Work& s, const std::vector<KokkosSpace>& spaces, book::Then then) {
  with_functor(s, [&]<int bytes>(const Map<bytes>& map) {
    Kokkos::Array<std::uint32_t, Map<bytes>::words> table;
    std::ranges::copy(map.table, table.data());
    book::in_turn(spaces, team_size(threads), s.kernels,
                  book::Numbers(s.x, static_cast<std::size_t>(s.n)), table, then);
  });
}

Rung fenced(std::string_view step, book::Then then) {
  return fenced_step(step,
                     [=](const Work& s, const Queues& queues) {
                       std::vector<KokkosSpace> spaces;
                       for (int i = 0; i < queues.size(); ++i) {
                         spaces.push_back(kokkos_space(queues[i]));
                       }
                       in_turn(s, spaces, then);
                     })
      .written(Way::book);
}

}  // namespace

Rungs kokkos_book_rungs() {
  using book::Then;
  return {
      rung(works, "in_turn",
           [](const Work& s, const Stream& on) { in_turn(s, {kokkos_space(on)}, Then::nothing); })
          .written(Way::book)
          .unless(one_stream),
      fenced("fence_instance", Then::fence_instance), fenced("fence_device", Then::fence_device)};
}

}  // namespace portcost::launches
