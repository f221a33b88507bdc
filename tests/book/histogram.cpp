// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "tests/book/alone.hpp"
#include "variants/histogram/kokkos/book.hpp"

namespace book = portcost::histogram::book;
using book::Copies;

template <int bins>
void check_all(int n) {
  const book::Space space;
  const int threads = alone::team_size(8), fewer = alone::team_size(4);
  Kokkos::View<unsigned*, book::Space> in("in", n), out("out", bins);
  const auto key_of = [](int i) {
    return static_cast<unsigned>(i % 3 == 0 ? i * 37 % bins : i / 1000 % 4);
  };
  const auto given = alone::filled(in, key_of);
  std::vector<unsigned> wanted(bins, 0);
  for (int i = 0; i < n; ++i) ++wanted[given(i)];
  const book::Line<const book::Pack> packs(reinterpret_cast<const book::Pack*>(in.data()), n / 4);
  const book::Keys keys{in, packs};

  const auto check = [&](const char* step, const auto& launch) {
    Kokkos::deep_copy(out, 7u);
    launch(book::Line<unsigned>(out));
    const auto answer = alone::on_host(out);
    for (int bin = 0; bin < bins; ++bin) alone::expect(answer(bin) == wanted[bin], step);
  };
  using Right = Kokkos::LayoutRight;
  check("global_atomics",
        [&](auto counts) { book::global_atomics<256>(space, 3, threads, keys, counts); });
  check("global_atomics of stretches",
        [&](auto counts) { book::global_atomics<1>(space, 3, threads, keys, counts); });
  check("scratch_atomics",
        [&](auto counts) { book::scratch_atomics<256, bins>(space, 3, threads, keys, counts); });
  check("wide_loads", [&](auto counts) {
    book::in_copies<Copies::of_team, Right, 0, 256, 1, bins>(space, 3, threads, keys, counts);
  });
  check("warp_private", [&](auto counts) {
    book::in_copies<Copies::of_warps, Right, 0, 256, 8, bins>(space, 3, threads, keys, counts);
  });
  check("lane_striped", [&](auto counts) {
    book::in_copies<Copies::of_lanes, Kokkos::LayoutLeft, 0, 256, 8, bins>(space, 3, threads, keys,
                                                                           counts);
  });
  check("copies of positions", [&](auto counts) {
    book::in_copies<Copies::of_positions, Right, 0, 1, 4, bins>(space, 3, threads, keys, counts);
  });
  check("lane_private",
        [&](auto counts) { book::lane_private<1, bins>(space, 2, fewer, keys, counts); });
}

void run() {
  for (const int n : {1, 4099, 99'991}) {
    check_all<64>(n);
    check_all<256>(n);
  }
}
