// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/transfer_overlap/kokkos/book.hpp"

using namespace portcost::transfer_overlap;

void run() {
  const book::Space space;
  for (const int count : {1, 127, 128, 129, 1001}) {
    constexpr int first = 77;
    const auto all = static_cast<std::size_t>(count) + 1;  // one more than the kernel may change
    const Kokkos::View<double*, book::Space> room("room", all);
    const auto given = alone::filled(room, [](int i) { return i % 101 / 128.0; });
    book::increase(space, alone::team_size(4),
                   book::Piece<double>(room.data(), static_cast<std::size_t>(count)), first);
    const auto answer = alone::on_host(room);
    for (int i = 0; i < count; ++i) {
      const double error = answer(i) - increased(given(i), double(first + i));
      alone::expect(std::abs(error) <= 2 * largest_error<double>, "increase");
    }
    alone::expect(answer(count) == given(count), "increase");
  }
}
