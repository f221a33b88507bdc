// SPDX-License-Identifier: Apache-2.0
#include "tests/book/alone.hpp"
#include "variants/floyd_warshall/kokkos/book.hpp"

using namespace portcost::floyd_warshall;

constexpr int size = 135, pitch = 256;

struct Tile {
  int row, col;
};
// The tiles in row and column k of `tiles` tiles, or all others.
struct Region {
  int k, tiles;
  bool cross;
  int depth = 1;
  KOKKOS_INLINE_FUNCTION int count() const { return (tiles - 1) * (cross ? 2 : tiles - 1); }
  KOKKOS_INLINE_FUNCTION Tile at(int i) const {
    const int line = i % (tiles - 1), row = i / (tiles - 1), other = line + (line >= k ? 1 : 0);
    if (!cross) return {row + (row >= k ? 1 : 0), other};
    return row == 0 ? Tile{k, other} : Tile{other, k};
  }
};
// Of two tiles on a side: each ticket waits for all before.
struct Flow {
  struct Section {
    int first_ticket, panel_parts;
    Region region;
    bool touches;
    int round;
  };
  struct Task {
    Tile at;
    int k, depth, round;
    bool closes;
    KOKKOS_INLINE_FUNCTION static Task none() { return {{0, 0}, 0, 0, 0, false}; }
    KOKKOS_INLINE_FUNCTION static Task of(const Section& now, int) {
      const int k = now.first_ticket / 4, part = now.first_ticket % 4;
      const Tile at[4] = {{k, k}, {k, 1 - k}, {1 - k, k}, {1 - k, 1 - k}};
      return {at[part], k, 1, part == 3 ? k : -1, part == 0};
    }
  };
  struct Awaited {
    int place, least;
  };
  static constexpr int ticket = 0, panel = 1;
  KOKKOS_INLINE_FUNCTION Awaited before(int round, Tile) const { return {2, round}; }
  KOKKOS_INLINE_FUNCTION int tile(Tile) const { return 2; }
  KOKKOS_INLINE_FUNCTION int row(int, int) const { return 3; }
  KOKKOS_INLINE_FUNCTION int col(int, int) const { return 4; }
};

void run() {
  const book::Space space;
  Kokkos::View<float**, Kokkos::LayoutRight, book::Space> a("a", pitch, pitch);
  Kokkos::View<int**, Kokkos::LayoutRight, book::Space> next("next", pitch, pitch);
  Kokkos::View<int, book::Space> negative("negative");
  Kokkos::View<int*, book::Space> state("state", 5);
  Kokkos::View<Flow::Section*, book::Space> sections("sections", 10);
  const auto order = Kokkos::create_mirror_view(sections);
  for (int i = 0; i < 10; ++i) {
    order(i) = {i < 9 ? i : 1 << 30, i / 4 * 3 + i % 4, {0, 2, false, i < 8}, i > 3, i / 4};
  }
  Kokkos::deep_copy(sections, order);
  const book::Graph<float> g{a,
                             book::Matrix<book::Pack<float>>(
                                 reinterpret_cast<book::Pack<float>*>(a.data()), pitch, pitch / 4),
                             next, negative, size};

  const auto edge = [](int at) {
    const int i = at / pitch, j = at % pitch, length = (i * 37 + j * 101) % 97 + 1;
    return i == j                                   ? 0
           : i < size && j < size && length % 5 > 0 ? static_cast<float>(length)
                                                    : no_edge<float>;
  };
  const auto edges = alone::filled(a, edge), wanted = alone::filled(a, edge);
  for (int k = 0; k < size; ++k) {
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) wanted(i, j) = relax(wanted(i, j), wanted(i, k), wanted(k, j));
    }
  }
  const auto check = [&](const char* step, const auto& launch) {
    const auto answer = [&](auto paths) {
      alone::filled(a, edge);
      alone::filled(next, [&](int at) { return edge(at) < no_edge<float> ? at % pitch : -1; });
      Kokkos::deep_copy(negative, -1);
      Kokkos::deep_copy(state, 0);
      launch(paths);
      const auto found = alone::on_host(a);
      const auto hop = alone::on_host(next);
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
          alone::expect(found(i, j) == wanted(i, j), step);
          const int over = paths.value ? hop(i, j) : j;
          const float first = paths.value ? edges(i, over) : wanted(i, j);
          alone::expect(first + wanted(over, j) == wanted(i, j), step);
        }
      }
    };
    answer(std::false_type());
    answer(std::true_type());
  };
  const auto in_rounds = [](int tile, const auto& close, const auto& product) {
    for (int k = 0, tiles = (size + tile - 1) / tile; k < tiles; ++k) {
      close(k);
      product(Region{k, tiles, true});
      product(Region{k, tiles, false});
    }
  };
  const int eight = alone::team_size(8);
  const auto rows = [&](auto paths, int tile, const auto& product) {
    in_rounds(
        tile, [&](int k) { book::close_rows<paths.value>(space, 1, g, k, tile); }, product);
  };
  const auto patches = [&](auto paths, auto tiles) {
    using Tiles = decltype(tiles);
    const int team = alone::team_size(Tiles::threads);
    const auto launch = [&](const auto& f) { Kokkos::parallel_for(f.policy(space, team), f); };
    in_rounds(
        Tiles::tile,
        [&](int k) {
          launch(book::ClosePivot<Tiles, paths.value, float>{g, k});
        },
        [&](const Region& region) {
          launch(book::Product<Tiles, paths.value, float, Region>{g, region});
        });
  };
  check("naive_2d", [&](auto paths) { book::naive_2d<paths.value>(space, eight, g); });
  check("naive_2d of rows", [&](auto paths) { book::naive_rows<paths.value>(space, 1, g); });
  check("block_2d", [&](auto paths) { book::block_2d<paths.value>(space, eight, g); });
  check("block_3d of rows", [&](auto paths) {
    rows(paths, 64,
         [&](const auto& region) { book::product_rows<paths.value>(space, 1, g, region, 64); });
  });
  check("register_tile of blocks", [&](auto paths) {
    rows(paths, 128,
         [&](const auto& region) { book::product_blocks<paths.value>(space, 1, g, region); });
  });
  check("block_3d", [&](auto paths) { patches(paths, book::Block3d()); });
  check("staged", [&](auto paths) { patches(paths, book::Staged()); });
  check("register_tile", [&](auto p) { patches(p, book::RegisterTile<decltype(p)::value>()); });
  check("dataflow", [&](auto paths) {
    using Tiles = book::RegisterTile<paths.value>;
    using Kernel = book::Dataflow<Tiles, paths.value, float, Flow>;
    Kokkos::parallel_for(Kernel::policy(space, 2, alone::team_size(Tiles::threads)),
                         Kernel{g, {}, sections, state});
  });
}
