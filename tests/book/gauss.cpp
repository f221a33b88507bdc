// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/gauss/kokkos/book.hpp"

using namespace portcost::gauss;

namespace {
struct Columns {
  int first, end;
};
struct Tile {
  int row, col;
};
// Of `tiles` by `tiles` tiles: the cross of tile (k, k), what lies beyond it or, `alone`, the tile.
struct Region {
  Columns columns;
  int k, tiles;
  bool cross, alone;
  KOKKOS_FUNCTION int left() const { return tiles - k - 1; }
  KOKKOS_FUNCTION int count() const { return alone ? 1 : cross ? 2 * left() : left() * left(); }
  KOKKOS_FUNCTION Tile at(int i) const {
    if (alone) return {k, k};
    if (!cross) return {k + 1 + i / left(), k + 1 + i % left()};
    return i < left() ? Tile{k, k + 1 + i} : Tile{k + 1 + i - left(), k};
  }
};

// f(region, k) for all launches of one tile a round, k = -1: for the remainder.
template <class F>
void in_rounds(int size, int tile, const F& f) {
  for (int k = 0; k < size / tile; ++k) {
    Region region{{k * tile, (k + 1) * tile}, k, size / tile, false, true};
    f(region, k);
    region.alone = false;
    if (region.left() == 0) return;
    region.cross = true;
    f(region, k);
    region.cross = false;
    f(region, -1);
  }
}
}  // namespace

void run() {
  constexpr int n = 150, size = 256;
  const book::Space space;
  Kokkos::View<float**, Kokkos::LayoutRight, book::Space> a("a", size, size);
  Kokkos::View<int, book::Space> bad("bad");
  const auto given = alone::filled(a, [](int e) {
    const int i = e / size, j = e % size;
    if (i >= n || j > n) return i == j ? 200.0f : 0.0f;
    return (i == j ? n : 0) + static_cast<float>(e * 37 % 101) / 101;
  });
  auto wanted = Kokkos::create_mirror(Kokkos::HostSpace(), a);
  Kokkos::deep_copy(wanted, given);
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      wanted(i, k) = multiplier(wanted(i, k), wanted(k, k));
      for (int j = k + 1; j <= n; ++j) {
        wanted(i, j) = eliminate(wanted(i, j), wanted(i, k), wanted(k, j));
      }
    }
  }
  using Pair = book::PackOf<float, 2>;
  using Pack = book::Pack<float>;
  const book::System<float> s{a,
                              book::Matrix<Pair>(reinterpret_cast<Pair*>(a.data()), size, size / 2),
                              book::Matrix<Pack>(reinterpret_cast<Pack*>(a.data()), size, size / 4),
                              bad,
                              n,
                              1e-20f};
  const auto check = [&](const char* step, const auto& launch) {
    Kokkos::deep_copy(a, given);
    Kokkos::deep_copy(bad, -1);
    launch();
    const auto answer = alone::on_host(a);
    for (int e = 0; e < n * (n + 1); ++e) {
      alone::expect(answer(e / (n + 1), e % (n + 1)) == wanted(e / (n + 1), e % (n + 1)), step);
    }
  };
  const auto panel = [&](auto tiles) {
    using Tiles = decltype(tiles);
    using Solve = book::SolveCross<Tiles::tile, float, Region>;
    const auto launch = [&](const auto& f, int threads) {
      Kokkos::parallel_for(f.policy(space, alone::team_size(threads)), f);
    };
    in_rounds(size, Tiles::tile, [&](const Region& region, int k) {
      if (region.alone) {
        launch(book::FactorisePivot<Tiles, float, Columns>{s, k, {}, false}, Tiles::threads);
      } else if (k >= 0) {
        launch(Solve{s, region, k}, Solve::threads);
      } else {
        launch(book::Product<Tiles, float, Region>{s, region}, Tiles::threads);
      }
    });
  };
  const int eight = alone::team_size(8);
  check("naive", [&] { book::naive(space, eight, s); });
  check("naive of rows", [&] { book::naive_rows(space, 1, s); });
  check("block_r1", [&] {
    in_rounds(size, 64, [&](const Region& r, int k) { book::block_r1(space, eight, s, r, k); });
  });
  check("block_r1 of rows", [&] {
    in_rounds(size, 64, [&](const Region& r, int k) { book::block_rows(space, 1, 0, s, r, k); });
  });
  check("panel of strips", [&] {
    in_rounds(size, 128, [&](const Region& r, int k) { book::panel_strips(space, 1, s, r, k); });
  });
  check("panel", [&] { panel(book::Panel<float>()); });
  check("look_ahead", [&] { panel(book::Tiling<64, 16, 2>()); });
}
