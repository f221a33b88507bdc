// SPDX-License-Identifier: Apache-2.0
// Hands the harness's memory to the kernel of book.hpp.
#include "variants/launches/kokkos/book.hpp"

#include "variants/launches/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::launches {

Rungs kokkos_book_rungs() {
  const auto in_turn = [](book::Then then) {
    return [=](const Work& s, const Stream&) {
      std::vector<KokkosSpace> spaces;
      for (int k = 0; k < s.streams; ++k) spaces.push_back(kokkos_space(s.queue_of(k)));
      with_functor(s, [&]<int bytes>(const Map<bytes>& map) {
        Kokkos::Array<std::uint32_t, Map<bytes>::words> table;
        std::ranges::copy(map.table, table.data());
        book::in_turn(spaces, team_size(threads), s.kernels,
                      book::Numbers(s.x, static_cast<std::size_t>(s.n)), table, then);
      });
    };
  };
  using book::Then;
  return {rung(works, "in_turn", in_turn(Then::nothing)).written(Way::book),
          fenced_step("fence_instance", in_turn(Then::fence_instance)).written(Way::book),
          fenced_step("fence_device", in_turn(Then::fence_device)).written(Way::book)};
}

}  // namespace portcost::launches
