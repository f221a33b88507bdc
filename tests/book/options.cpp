// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/options/kokkos/book.hpp"

using namespace portcost::options;

void run() {
  constexpr int paths = 10'007, items = 64, turns = 3, stretch = items * turns;
  constexpr int teams = (paths + stretch - 1) / stretch;
  const Terms<double> terms{100, 105, 0.03 / 3, 0.2, 3, 7};
  const book::Space space;
  const int team = alone::team_size(items / 32);
  Kokkos::View<Sums*, book::Space> partials("partials", teams), out("out", 1);
  Sums expected;
  for (int p = 0; p < paths; ++p) {
    expected.add(payoff_of_path<false>(terms, static_cast<std::uint64_t>(p)));
  }

  const auto check = [&](const char* step, int turn, int count, const auto& body) {
    book::reduce(step, space, teams, team, 32, items, turn, static_cast<std::uint64_t>(count),
                 book::Vector<Sums>(partials), body);
    book::reduce("add_partials", space, 1, team, 32, items, teams, teams, book::Vector<Sums>(out),
                 book::Partial{partials});
    const auto left = alone::on_host(out);
    alone::expect(std::abs(left(0).payoff / expected.payoff - 1) < 1e-12, step);
    alone::expect(std::abs(left(0).square / expected.square - 1) < 1e-12, step);
  };
  check("one_path", turns, paths, book::Path<false, double>{terms});
  check("many_paths", 0, (paths + 1) / 2, book::Group<false, double>{terms, paths});
}
