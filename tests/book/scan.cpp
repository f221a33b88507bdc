// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/scan/kokkos/book.hpp"

using namespace portcost::scan;

constexpr int rows = 64, bytes = 16, window = 8;
using Tile = book::Tile<Word, rows, 2, bytes>;

void run() {
  constexpr int n = 150'003, tiles = (n + Tile::size - 1) / Tile::size;
  const book::Space space;
  const int team = alone::team_size(rows / book::lanes);
  Kokkos::View<Word*, book::Space> in("in", n), out("out", n), totals("totals", tiles);
  Kokkos::View<std::uint64_t*, book::Space> states("states", tiles);
  Kokkos::View<unsigned, book::Space> ticket("ticket"), runs("runs");
  const auto given = alone::filled(in, [](int i) { return static_cast<Word>(i * 37 % 101); });
  const book::Numbers<const Word, bytes> from(in.data(), n);
  const book::Numbers<Word, bytes> to(out.data(), n);
  const book::Vector<Word> sums(totals);
  const book::Numbers<Word, bytes> all_totals(totals.data(), tiles);

  const auto check = [&](const char* step, const auto& launch) {
    Kokkos::deep_copy(out, 0);
    launch();
    const auto left = alone::on_host(out);
    Word sum = 0;
    for (int i = 0; i < n; ++i) alone::expect(left(i) == (sum += given(i)), step);
  };
  check("reduce_then_scan", [&] {
    book::add_tiles<Tile>(space, team, from, sums);
    book::scan_totals<Tile>(space, team, all_totals);
    book::scan_tiles<Tile>(space, team, from, to, sums);
  });
  for (int run = 0; run < 2; ++run) {  // the second needs the ticket that the first has set back
    check("look_back", [&] {
      book::one_pass<window, Tile>(space, team, tiles, from, to, {states, ticket, runs});
    });
  }
}
