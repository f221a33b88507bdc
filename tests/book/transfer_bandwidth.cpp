// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/transfer_bandwidth/kokkos/book.hpp"

using namespace portcost::transfer_bandwidth;

void run() {
  const book::Space space;
  for (const std::size_t bytes : {1, 16, 4096, 4097, 5 * 4096 + 35}) {
    const Kokkos::View<std::byte*, book::Space> from("from", bytes), to("to", bytes);
    const auto given = alone::filled(from, [](int i) { return static_cast<std::byte>(i * 37); });
    const auto check = [&](const char* step, const auto& launch) {
      Kokkos::deep_copy(to, std::byte{});
      launch(book::Array<const std::byte>(from), book::Array<std::byte>(to));
      const auto found = alone::on_host(to);
      for (std::size_t i = 0; i < bytes; ++i) alone::expect(found(i) == given(i), step);
    };
    check("copy_packs", [&](auto source, auto target) {
      const std::size_t packs = bytes / sizeof(book::Pack);
      book::copy_packs(
          space, alone::team_size(8), source, target,
          book::Array<const book::Pack>(reinterpret_cast<const book::Pack*>(from.data()), packs),
          book::Array<book::Pack>(reinterpret_cast<book::Pack*>(to.data()), packs));
    });
    check("copy_parts",
          [&](auto source, auto target) { book::copy_parts(space, 3, source, target); });
  }
}
