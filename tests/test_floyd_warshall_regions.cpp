// SPDX-License-Identifier: Apache-2.0
// floyd_warshall: a round that begins early takes each tile once, in one launch or in two.
#include <cstddef>

#include "tests/support.hpp"
#include "variants/floyd_warshall/kokkos/rounds_ahead.hpp"
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

// What the launches of look_ahead do to tiles: which they read and write, and which launches each
// of them has to follow.
struct Launch {
  std::set<std::pair<int, int>> reads, writes;
  std::set<std::size_t> before;
};

// The launches so far, and what the next one follows.
struct Recorder {
  std::vector<Launch> launches;

  std::size_t add(std::set<std::size_t> before, Launch launch) {
    for (const std::size_t one : std::set(before)) before.merge(std::set(launches[one].before));
    launch.before = std::move(before);
    launches.push_back(std::move(launch));
    return launches.size() - 1;
  }
};
struct Node {
  std::set<std::size_t> after;  // empty: the root
};
Node after_both(const Node& one, const Node& other) {
  Node both = one;
  both.after.insert(other.after.begin(), other.after.end());
  return both;
}

std::vector<Launch> launches_ahead(int tiles) {
  Recorder recorder;
  const auto close = [&](const Node& after, int k) {
    return Node{{recorder.add(after.after, {{{k, k}}, {{k, k}}, {}})}};
  };
  const auto take = [&](const Node& after, const Region& region) {
    if (region.count() == 0) return after;
    Launch launch;
    for (int i = 0; i < region.count(); ++i) {
      const Tile at = region.at(i);
      launch.writes.insert({at.row, at.col});
      for (int k = region.k; k < region.k + region.depth; ++k) {
        launch.reads.insert({at.row, k});
        launch.reads.insert({k, at.col});
      }
    }
    return Node{{recorder.add(after.after, std::move(launch))}};
  };
  rounds_ahead(tiles, Node{}, close, take, after_both);
  return recorder.launches;
}

bool meet(const std::set<std::pair<int, int>>& some, const std::set<std::pair<int, int>>& others) {
  return std::any_of(some.begin(), some.end(),
                     [&](const auto& tile) { return others.contains(tile); });
}

}  // namespace

TEST_CASE("floyd_warshall: launches of look_ahead that share a tile follow each other",
          "[floyd_warshall]") {
  for (const int tiles : {1, 2, 3, 4, 5, 9, 16}) {
    const std::vector<Launch> launches = launches_ahead(tiles);
    Counts taken;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      for (const auto& tile : launches[i].writes) ++taken[tile];
      for (std::size_t j = 0; j < i; ++j) {
        const bool share = meet(launches[i].writes, launches[j].writes) ||
                           meet(launches[i].writes, launches[j].reads) ||
                           meet(launches[i].reads, launches[j].writes);
        CAPTURE(tiles, i, j);
        CHECK((!share || launches[i].before.contains(j)));
      }
    }
    // Each tile has the paths over the vertices of all.
    CHECK(taken.size() == static_cast<std::size_t>(tiles) * static_cast<std::size_t>(tiles));
    for (const auto& [tile, times] : taken) {
      CAPTURE(tiles, tile.first, tile.second);
      CHECK(times == tiles);
    }
  }
}

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
