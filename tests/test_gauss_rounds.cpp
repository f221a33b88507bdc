// SPDX-License-Identifier: Apache-2.0
// gauss: the order of work, in which every tile is taken over every column once.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <utility>
#include <vector>

#include "variants/gauss/problem.hpp"

namespace portcost::test::test_gauss_rounds {

using namespace gauss;

TEST_CASE("gauss rounds: every tile is taken over every column before it once", "[gauss]") {
  for (const auto& [n, r1] : {std::pair(1, 64), {64, 64}, {200, 16}, {300, 128}, {500, 256}}) {
    CAPTURE(n, r1);
    const Tiles tiles(n, 64);
    const int columns = tiles.rows * 64;
    std::vector<int> taken(static_cast<std::size_t>(tiles.rows * tiles.cols * columns), 0);
    const auto take = [&](Tile tile, Columns over) {
      for (int k = over.first; k < over.end; ++k) {
        ++taken[static_cast<std::size_t>((tile.row * tiles.cols + tile.col) * columns + k)];
      }
    };
    const auto take_all = [&](const Region& region) {
      for (int at = 0; at < region.count(); ++at) take(region.at(at), region.columns);
    };
    rounds(
        tiles, r1,
        [&](int k, Columns over) {
          take({k, k}, over);
        },
        [&](int, const Region& region) { take_all(region); }, take_all);
    for (int i = 0; i < tiles.rows; ++i) {
      for (int j = 0; j < tiles.cols; ++j) {
        for (int k = 0; k < columns; ++k) {
          const int wanted = k < (std::min(i, j) + 1) * 64 ? 1 : 0;
          const int is = taken[static_cast<std::size_t>((i * tiles.cols + j) * columns + k)];
          if (is != wanted) FAIL_CHECK("tile " << i << ", " << j << " column " << k << ": " << is);
        }
      }
    }
  }
}

TEST_CASE("gauss look_ahead: what is taken ahead and the rest are all tiles once", "[gauss]") {
  const int wave = GENERATE(1, 2, 7, 231, 100000);
  CAPTURE(wave);
  for (const int n : {129, 191, 192, 255, 256, 300, 2049, 5000}) {
    CAPTURE(n);
    const Tiles tiles(n, panel_tile), smallest(n, 32);
    for (int k = 0; k + 1 < tiles.rows; ++k) {
      std::vector<int> taken(static_cast<std::size_t>(smallest.rows * smallest.cols), 0);
      // All of a region's tiles, of which each is `times` by `times` of the smallest.
      const auto mark = [&](const Region& region, int times) {
        CHECK(region.columns.end - region.columns.first == panel_tile);
        for (int at = 0; at < region.count(); ++at) {
          const Tile tile = region.at(at);
          for (int q = 0; q < times * times; ++q) {
            const int i = times * tile.row + q / times, j = times * tile.col + q % times;
            if (i >= smallest.rows || j >= smallest.cols) continue;
            ++taken[static_cast<std::size_t>(i * smallest.cols + j)];
          }
        }
      };
      CHECK(tile_alone(k + 1, tiles.of(k)).count() == 16);
      mark(tile_alone(k + 1, tiles.of(k)), 1);
      mark(cross_alone(n, k + 1, tiles.of(k)), 2);
      const auto [first, second] = in_waves(tiles.rest(k + 2, tiles.of(k)), wave);
      mark(first, 4);
      mark(second, 4);
      const int all = first.count() + second.count();
      CHECK(first.count() == (all > wave ? wave : all / 2));
      int wrong = 0;
      for (int i = 0; i < smallest.rows; ++i) {
        for (int j = 0; j < smallest.cols; ++j) {
          const bool wanted = i >= 4 * (k + 1) && j >= 4 * (k + 1);
          wrong +=
              taken[static_cast<std::size_t>(i * smallest.cols + j)] != (wanted ? 1 : 0) ? 1 : 0;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("gauss delayed_updates: two tiles a round, and narrow ones at last", "[gauss]") {
  CHECK(delayed_tiles(1) == 0);
  CHECK(delayed_tiles(2048) == 0);
  CHECK(delayed_tiles(2049) == 0);  // one tile more, which is none of two
  CHECK(delayed_tiles(2177) == 2);
  CHECK(delayed_tiles(4096) == 16);
  CHECK(delayed_tiles(600, 2) == 4);
  CHECK(columns_of_two(-2).end == 0);
  CHECK(columns_of_two(2).first == 256);
  CHECK(columns_of_two(2).end == 512);
  CHECK(wave_beside(231, tile_alone(3, {0, 128})) == 231 - 16);
  CHECK(wave_beside(231, Tiles(100'000, panel_tile).rest(1, {0, 128})) == 115);
}

TEST_CASE("gauss delayed_updates: a round takes all tiles over the columns of the one before once",
          "[gauss]") {
  for (const int n : {511, 512, 513, 600, 767, 768, 2049}) {
    const Tiles tiles(n, panel_tile), smallest(n, 32);
    for (int first = 2; first + 2 <= tiles.rows; first += 2) {
      CAPTURE(n, first);
      // How often each of the smallest tiles is taken over each of the columns of both rounds.
      const int rounds = 2 * panel_tile * 2 / 32, end_of_columns = (first + 2) * panel_tile;
      const int first_column = end_of_columns - rounds * 32;
      std::vector<int> taken(static_cast<std::size_t>(smallest.rows * smallest.cols * rounds), 0);
      const auto mark = [&](const Region& region, int times) {
        for (int at = 0; at < region.count(); ++at) {
          const Tile tile = region.at(at);
          for (int q = 0; q < times * times; ++q) {
            const int i = times * tile.row + q / times, j = times * tile.col + q % times;
            if (i >= smallest.rows || j >= smallest.cols) continue;
            for (int k = region.columns.first; k < region.columns.end; k += 32) {
              ++taken[static_cast<std::size_t>((i * smallest.cols + j) * rounds +
                                               (k - first_column) / 32)];
            }
          }
        }
      };
      const Columns before = columns_of_two(first - 2);
      mark(tile_alone(first, before), 1);
      mark(cross_alone(n, first, before), 2);
      mark(second_line(tiles, first, before), 4);
      mark(rest_around_both(tiles, first, before), 4);
      mark(tile_alone(first + 1, tiles.of(first)), 1);
      mark(cross_alone(n, first + 1, tiles.of(first)), 2);
      int wrong = 0;
      for (int i = 0; i < smallest.rows; ++i) {
        for (int j = 0; j < smallest.cols; ++j) {
          for (int k = 0; k < rounds; ++k) {
            const int column = first_column + 32 * k, line = std::min(i, j) / 4 - first;
            // The second's row and column have those of the first's tile as well.
            const bool wanted = (column < before.end && line >= 0) ||
                                (column >= before.end && column < tiles.of(first).end && line == 1);
            wrong += taken[static_cast<std::size_t>((i * smallest.cols + j) * rounds + k)] !=
                             (wanted ? 1 : 0)
                         ? 1
                         : 0;
          }
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("gauss narrow_tiles: the last tiles are narrow ones", "[gauss]") {
  CHECK(wide_tiles(1) == 0);
  CHECK(wide_tiles(3072) == 0);
  CHECK(wide_tiles(3073) == 1);
  CHECK(wide_tiles(4096) == 8);
  CHECK(wide_tiles(390, 4) == 2);
}

TEST_CASE("gauss narrow_tiles: beside the tile that is closed all are taken once", "[gauss]") {
  for (const int n : {65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 300, 2048, 2049}) {
    const Tiles narrow(n, narrow_tile);
    // Rounds of every width and place that may come before tile k.
    for (int k = 1; k < narrow.rows; ++k) {
      for (const int width : {narrow_tile, panel_tile, 2 * panel_tile}) {
        if (width > narrow_tile && (k % 2 != 0 || k * narrow_tile < width)) continue;
        const Columns columns{k * narrow_tile - width, k * narrow_tile};
        CAPTURE(n, k, width);
        std::vector<int> taken(static_cast<std::size_t>(narrow.rows * narrow.cols), 0);
        int outside = 0;
        const auto mark = [&](const Region& region, int times) {
          CHECK(region.columns.first == columns.first);
          CHECK(region.columns.end == columns.end);
          for (int at = 0; at < region.count(); ++at) {
            const Tile tile = region.at(at);
            for (int q = 0; q < times * times; ++q) {
              const int i = times * tile.row + q / times, j = times * tile.col + q % times;
              outside += i * narrow_tile >= padded(n) || j * narrow_tile >= padded(n + 1) ? 1 : 0;
              if (i >= narrow.rows || j >= narrow.cols) continue;
              ++taken[static_cast<std::size_t>(i * narrow.cols + j)];
            }
          }
        };
        mark(narrow_cross(n, columns), 1);
        mark(narrow_line(n, columns), 1);
        mark(narrow_rest(n, columns), 2);
        CHECK(outside == 0);
        int wrong = 0;
        for (int i = 0; i < narrow.rows; ++i) {
          for (int j = 0; j < narrow.cols; ++j) {
            const bool wanted = i >= k && j >= k && !(i == k && j == k);
            wrong +=
                taken[static_cast<std::size_t>(i * narrow.cols + j)] != (wanted ? 1 : 0) ? 1 : 0;
          }
        }
        CHECK(wrong == 0);
      }
    }
  }
}

}  // namespace portcost::test::test_gauss_rounds
