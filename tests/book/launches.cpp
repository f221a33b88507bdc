// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/launches/kokkos/book.hpp"

using namespace portcost::launches;

void run() {
  constexpr int n = 1000, kernels = 3;
  const Kokkos::View<std::uint32_t*, book::Space> x("x", n);
  const auto given = alone::filled(x, [](int i) { return static_cast<std::uint32_t>(i * 7919); });
  Kokkos::Array<std::uint32_t, 252> table;
  for (int i = 0; i < 252; ++i) table[i] = static_cast<std::uint32_t>(i * i);
  book::in_turn({book::Space()}, alone::team_size(256), kernels, book::Numbers(x), table);
  const auto found = alone::on_host(x);
  for (int i = 0; i < n; ++i) {
    std::uint32_t right = given(i);
    for (int k = 0; k < kernels; ++k) right = next(right, table[i % 252]);
    alone::expect(found(i) == right, "in_turn");
  }
}
