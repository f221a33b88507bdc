// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/book/alone.hpp"
#include "variants/block_vote/kokkos/book.hpp"

using namespace portcost::block_vote;

// Tiles of zeros, of ones, of NaN now and then, of fractions, and of what is out of range.
template <class T>
T element_of(int i) {
  const int tile = i / book::tile_size;
  if (tile < 2) return T(tile);
  if (tile == 2) return i % 64 == 5 ? std::nan("") : T(0);
  return static_cast<T>(i % 1000) / (i < 4000 ? 1000 : 998);
}

template <class T>
void check_all(int n) {
  const book::Space space;
  const int threads = alone::team_size(4), tiles = (n + 1023) / 1024;
  Kokkos::View<T*, book::Space> in("in", n);
  Kokkos::View<int* [3], Kokkos::LayoutRight, book::Space> out("out", tiles);
  const auto given = alone::filled(in, [](int i) { return element_of<T>(i); });
  using Pack = book::Pack<T>;
  const book::Line<const Pack> packs(reinterpret_cast<const Pack*>(in.data()), n / Pack::length);
  const book::Field<T> field{in, packs, out};

  const auto check = [&](const char* step, const auto& launch) {
    Kokkos::deep_copy(out, -1);
    launch();
    const auto answer = alone::on_host(out);
    for (int tile = 0; tile < tiles; ++tile) {
      int some = 0, nan = 0, all = 1;
      for (int i = tile * 1024; i < n && i < (tile + 1) * 1024; ++i) {
        some += non_zero(given(i));
        nan |= is_nan(given(i));
        all &= in_range(given(i));
      }
      alone::expect(answer(tile, 0) == some && answer(tile, 1) == nan && answer(tile, 2) == all,
                    step);
    }
  };
  check("barrier_vote", [&] { book::barrier_vote<128>(space, threads, field); });
  check("barrier_vote of one", [&] { book::barrier_vote<1>(space, threads, field); });
  check("warp_vote", [&] { book::warp_vote(space, threads, field); });
  check("packed_vote", [&] { book::packed_vote(space, threads, field); });
  check("warp_tile", [&] { book::warp_tile(space, threads, field); });
  check("warp_tile of hosts", [&] { book::warp_tile_of_hosts(space, field); });
}

void run() {
  for (const int n : {1, 4097, 4096, 5119}) {
    check_all<float>(n);
    check_all<double>(n);
  }
}
