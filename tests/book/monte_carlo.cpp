// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/monte_carlo/kokkos/book.hpp"

using namespace portcost::monte_carlo;

template <class T>
void check(std::uint64_t count) {
  constexpr std::uint64_t seed = 11;
  constexpr int of_call = pairs_of_call<T>, items = 64, teams = 3;
  const book::Space space;
  const int team = alone::team_size(64);
  const book::Pairs<T> pairs(count, seed);
  std::uint64_t right = 0;
  for (std::uint64_t p = 0; p < count; ++p) {
    const portcost::RandomWords words = portcost::philox(p / of_call, seed);
    const int at = 2 * static_cast<int>(p % of_call);
    right += is_hit(portcost::uniform<T>(words, at), portcost::uniform<T>(words, at + 1));
  }
  const Kokkos::View<std::uint64_t, book::Space> hits("hits");
  const Kokkos::View<std::uint64_t*, book::Space> of_tiles("tiles", pairs.calls / items + 1);
  const Kokkos::View<std::uint64_t*, book::Space> of_teams("teams", teams);
  const Kokkos::View<T* [2], Kokkos::LayoutRight, book::Space> numbers("numbers", count);
  const auto expect = [&](const char* step) {
    std::uint64_t found = 0;
    Kokkos::deep_copy(found, hits);
    alone::expect(found == right, step);
    Kokkos::deep_copy(hits, 99);
  };
  book::one_pair<T>(space, team, items, pairs, of_tiles);
  book::add_partials(space, team, of_tiles, hits);
  expect("one_pair");
  book::many_pairs<T, 32>(space, team, pairs, of_teams);
  book::add_partials(space, team, of_teams, hits);
  expect("many_pairs");
  book::block_atomics<T, 1>(space, team, teams, pairs, hits);
  expect("block_atomics");
  book::generate<T>(space, team, teams, pairs, numbers);
  book::count<T>(space, team, numbers, of_teams);
  book::add_partials(space, team, of_teams, hits);
  expect("stored");
}

void run() {
  for (const std::uint64_t count : {0, 1, 3, 64, 1000, 10'001}) {
    check<float>(count);
    check<double>(count);
  }
}
