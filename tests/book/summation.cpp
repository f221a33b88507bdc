// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/summation/kokkos/book.hpp"

using namespace portcost::summation;

void run() {
  constexpr int n = 100'003, rows = 9, width = static_cast<int>(row<float>);
  const book::Space space;
  const int team = alone::team_size(threads);
  Kokkos::View<float*, book::Space> in("in", n), out("out", 2);
  const auto given = alone::filled(in, [](int i) { return static_cast<float>(i % 13 - 4); });
  float sum = 0;  // exact in any order
  for (int i = 0; i < n; ++i) sum += given(i);

  const auto expect = [&](const char* step) {
    const auto left = alone::on_host(out);
    alone::expect(left(0) == sum && left(1) == 0, step);
    Kokkos::deep_copy(out, -1.f);
  };
  const book::Numbers<float, 16> from(in.data(), n);
  const auto check = [&]<class Step>(Step, const char* step) {
    using Sum = typename Step::template Of<float>;
    constexpr int each = Step::pairs ? static_cast<int>(pair_rows) : rows;
    constexpr int teams = (n + each * width - 1) / (each * width);
    Kokkos::View<Sum*, book::Space> partials("partials", teams);
    book::add_teams<Step, 128>(space, teams, team, each, from, book::Vector<Sum>(partials),
                               book::Vector<float>());
    book::add_partials<Step>(space, team, book::Vector<const Sum>(partials),
                             book::Vector<float>(out));
    expect(step);
  };
  check(Chunks(), "chunks");
  check(BlockTree(), "block_tree");
  check(Pairwise(), "pairwise");
  check(Kahan(), "kahan");
  check(WideAccumulator(), "wide_accumulator");
  book::add_teams<Kahan, 128>(space, 1, team, n / width + 1, from,
                              book::Vector<Compensated<float>>(), book::Vector<float>(out));
  expect("one team");
  book::serial(space, book::Vector<const float>(in), book::Vector<float>(out));
  expect("serial");
}
