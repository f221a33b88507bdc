// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/random/kokkos/book.hpp"

using namespace portcost::random;

template <class Rule>
void check(int n) {
  constexpr std::uint64_t seed = 11;
  const book::Space space;
  const int team = alone::team_size(64);
  const Kokkos::View<typename Rule::T*, book::Space> out("out", n);
  const auto expect = [&](const char* step) {
    const auto found = alone::on_host(out);
    for (int i = 0; i < n; ++i) {
      const double right = Rule::number(i, seed);
      const double least = roundings * (sizeof(right) / sizeof(found(i))) * 1.2e-7;
      alone::expect(std::abs(found(i) - right) <= least * std::abs(right), step);
    }
    Kokkos::deep_copy(out, -99);
  };
  book::one_number<Rule>(space, team, 64, out, seed);
  expect("one_number");
  book::one_call<Rule>(space, team, 64, out, seed);
  expect("one_call");
  book::many_calls<Rule, 1>(space, team, 3, 5, out, seed);
  expect("many_calls of 1");
  book::many_calls<Rule, 32>(space, team, 3, 5, out, seed);
  expect("many_calls of 32");
}

void run() {
  for (const int n : {1, 3, 64, 1000, 10'001}) {
    check<Rule<float, Kind::uniform>>(n);
    check<Rule<float, Kind::normal>>(n);
    check<Rule<double, Kind::uniform>>(n);
    check<Rule<double, Kind::normal>>(n);
  }
}
