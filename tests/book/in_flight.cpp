// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/in_flight/kokkos/book.hpp"

using namespace portcost::in_flight;

template <int loads>
void check(int n) {
  constexpr int teams = 3, workers = 5, apart = 3;  // no number of lines here is a multiple of 3
  const book::Space space;
  const Kokkos::View<std::int32_t*, book::Space> a("a", n);
  const Kokkos::View<std::uint32_t* [64], Kokkos::LayoutRight, book::Space> of_teams("s", teams);
  const Kokkos::View<std::uint32_t*, book::Space> of_workers("s", workers);
  const auto given = alone::filled(a, [](int i) { return i * 7919 % 65537 << 14; });
  std::uint32_t wanted = 0;
  for (int i = 0; i < n; ++i) wanted += static_cast<std::uint32_t>(given(i));

  const auto expect = [&](const auto& sums, const char* step) {
    const auto found = alone::on_host(sums);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) sum += found.data()[i];
    alone::expect(sum == wanted, step);
  };
  book::read_pieces<loads>(space, alone::team_size(2), teams, book::Numbers(a),
                           book::Pieces<loads>(a.data(), n / (64 * loads)),
                           book::TeamSums(of_teams));
  expect(of_teams, "read_pieces");
  book::read_lines<loads>(space, alone::team_size(1), apart, book::Numbers(a),
                          book::Lines(a.data(), n / 16), book::Sums(of_workers));
  expect(of_workers, "read_lines");
}

void run() {
  for (const int n : {1, 16 * 5 + 3, 16 * 400 + 1, 16 * 1001}) {
    check<1>(n);
    check<2>(n);
    check<4>(n);
    check<8>(n);
    check<16>(n);
  }
}
