// SPDX-License-Identifier: Apache-2.0
// floyd_warshall: a round that begins early takes each tile once, in one launch or in two.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <utility>

#include "variants/floyd_warshall/problem.hpp"

namespace portcost::test::test_floyd_warshall_regions {

namespace {

using namespace floyd_warshall;

using Counts = std::map<std::pair<int, int>, int>;

void count_tiles(const Region& region, Counts& counts) {
  for (int i = 0; i < region.count(); ++i) {
    const Tile tile = region.at(i);
    ++counts[{tile.row, tile.col}];
  }
}

// Every tile outside row and column k, once.
Counts all_but(int tiles, int k) {
  Counts result;
  for (int row = 0; row < tiles; ++row) {
    for (int col = 0; col < tiles; ++col) {
      if (row != k && col != k) result[{row, col}] = 1;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("floyd_warshall: a round that begins early takes each tile once", "[floyd_warshall]") {
  for (const int tiles : {2, 3, 4, 5, 8, 31, 32, 64}) {
    for (int k = 0; k + 1 < tiles; ++k) {
      CAPTURE(tiles, k);
      Counts one_launch, two_launches;
      count_tiles(next_cross(tiles, k), one_launch);
      two_launches = one_launch;
      count_tiles(rest_around(tiles, k), one_launch);
      const auto [first, second] = in_two(rest_around(tiles, k));
      count_tiles(first, two_launches);
      count_tiles(second, two_launches);
      CHECK(one_launch == all_but(tiles, k));
      CHECK(two_launches == all_but(tiles, k));
      CHECK(second.count() <= first.count());
      CHECK(second.count() < late_tiles + tiles);
    }
  }
}

}  // namespace portcost::test::test_floyd_warshall_regions
