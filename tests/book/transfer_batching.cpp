// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/transfer_batching/kokkos/book.hpp"

using namespace portcost::transfer_batching;

void run() {
  constexpr int count = 7, n = 71, pitch = 75, packed = 80;
  const book::Space space;
  const int threads = alone::team_size(8);
  const Kokkos::View<double**, Kokkos::LayoutRight, book::Space> from("from", count, packed);
  const Kokkos::View<double**, Kokkos::LayoutRight, book::Space> to("to", count, pitch);
  const auto given = alone::filled(from, [](int i) { return i + 1.0; });

  // Row i of the target has row of(i), and keeps what is beyond n.
  const auto check = [&](const char* step, const auto& launch, const auto& of) {
    Kokkos::deep_copy(to, -1.0);
    launch();
    const auto found = alone::on_host(to);
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < pitch; ++j) {
        alone::expect(found(i, j) == (j < n ? given(of(i), j) : -1.0), step);
      }
    }
  };
  check(
      "move_rows",
      [&] {
        book::move_rows<double>(space, threads, n, book::Rows<const double>(from),
                                book::Rows<double>(to));
      },
      [](int i) { return i; });

  const Kokkos::View<book::Array<double>*, book::Space> arrays("arrays", count);
  alone::filled(arrays,
                [&](int i) { return book::Array<double>{from.data() + (count - 1 - i) * packed}; });
  check(
      "move_arrays",
      [&] {
        book::move_arrays<double>(space, threads, n, book::Row<const book::Array<double>>(arrays),
                                  book::Rows<double>(to));
      },
      [](int i) { return count - 1 - i; });
}
