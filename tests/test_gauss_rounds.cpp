// SPDX-License-Identifier: Apache-2.0
// gauss: the order of work, in which every tile is taken over every column once.
#include <catch2/generators/catch_generators.hpp>

#include "tests/support.hpp"
#include "variants/gauss/problem.hpp"

namespace portcost::test::test_gauss_rounds {
namespace {

using namespace gauss;

// How often each tile of n equations was taken over each `step` of some columns.
class Taken {
 public:
  Taken(int n, int tile, Columns columns, int step)
      : n_(n),
        step_(step),
        depth_((columns.end - columns.first) / step),
        columns_(columns),
        tiles_(n, tile),
        times_(static_cast<std::size_t>(tiles_.rows * tiles_.cols * depth_)) {}

  void take(int i, int j, Columns over) {
    for (int k = over.first; k < over.end; k += step_) ++times_.at(at(i, j, k));
  }
  // All of a region's tiles, of which each is `times` by `times` of these.
  void take(const Region& region, int times) {
    const Columns over = region.columns;
    CHECK((over.first >= columns_.first && over.end <= columns_.end));
    CHECK((over.end - over.first) % step_ == 0);
    int outside = 0;
    for (int index = 0; index < region.count(); ++index) {
      const Tile tile = region.at(index);
      for (int q = 0; q < times * times; ++q) {
        const int i = times * tile.row + q / times, j = times * tile.col + q % times;
        outside += i * tiles_.tile >= padded(n_) || j * tiles_.tile >= padded(n_ + 1);
        if (i < tiles_.rows && j < tiles_.cols) take(i, j, over);
      }
    }
    CHECK(outside == 0);
  }
  // Each was taken once where wanted(i, j, column), and never elsewhere.
  template <class Wanted>
  void check(const Wanted& wanted) const {
    std::string wrong;
    for (int i = 0; i < tiles_.rows; ++i) {
      for (int j = 0; j < tiles_.cols; ++j) {
        for (int k = columns_.first; k < columns_.end; k += step_) {
          const int is = times_[at(i, j, k)];
          if (!wrong.empty() || is == (wanted(i, j, k) ? 1 : 0)) continue;
          wrong = fmt::format("tile {}, {} column {}: {} times", i, j, k, is);
        }
      }
    }
    CHECK(wrong == "");
  }

 private:
  std::size_t at(int i, int j, int k) const {
    return static_cast<std::size_t>((i * tiles_.cols + j) * depth_ + (k - columns_.first) / step_);
  }

  int n_, step_, depth_;
  Columns columns_;
  Tiles tiles_;
  std::vector<int> times_;
};

TEST_CASE("gauss rounds: every tile is taken over every column before it once", "[gauss]") {
  for (const auto& [n, r1] : {std::pair(1, 64), {64, 64}, {200, 16}, {300, 128}, {500, 256}}) {
    CAPTURE(n, r1);
    const Tiles tiles(n, 64);
    Taken taken(n, 64, {0, tiles.rows * 64}, 1);
    rounds(
        tiles, r1, [&](int k, Columns over) { taken.take(k, k, over); },
        [&](int, const Region& region) { taken.take(region, 1); },
        [&](const Region& region) { taken.take(region, 1); });
    taken.check([](int i, int j, int column) { return column < (std::min(i, j) + 1) * 64; });
  }
}

TEST_CASE("gauss look_ahead: what is taken ahead and the rest are all tiles once", "[gauss]") {
  const int wave = GENERATE(1, 2, 7, 231, 100000);
  CAPTURE(wave);
  for (const int n : {129, 191, 192, 255, 256, 300, 2049, 5000}) {
    CAPTURE(n);
    const Tiles tiles(n, panel_tile);
    for (int k = 0; k + 1 < tiles.rows; ++k) {
      Taken taken(n, 32, tiles.of(k), panel_tile);
      CHECK(tile_alone(k + 1, tiles.of(k)).count() == 16);
      taken.take(tile_alone(k + 1, tiles.of(k)), 1);
      taken.take(cross_alone(n, k + 1, tiles.of(k)), 2);
      const auto [first, second] = in_waves(tiles.rest(k + 2, tiles.of(k)), wave);
      taken.take(first, 4);
      taken.take(second, 4);
      const int all = first.count() + second.count();
      CHECK(first.count() == (all > wave ? wave : all / 2));
      taken.check([=](int i, int j, int) { return i >= 4 * (k + 1) && j >= 4 * (k + 1); });
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

TEST_CASE("gauss delayed_updates: a round takes all tiles once", "[gauss]") {
  for (const int n : {511, 512, 513, 600, 767, 768, 2049}) {
    const Tiles tiles(n, panel_tile);
    for (int first = 2; first + 2 <= tiles.rows; first += 2) {
      CAPTURE(n, first);
      const Columns before = columns_of_two(first - 2);
      // Over the columns of both rounds.
      Taken taken(n, 32, {before.first, (first + 2) * panel_tile}, 32);
      taken.take(tile_alone(first, before), 1);
      taken.take(cross_alone(n, first, before), 2);
      taken.take(second_line(tiles, first, before), 4);
      taken.take(rest_around_both(tiles, first, before), 4);
      taken.take(tile_alone(first + 1, tiles.of(first)), 1);
      taken.take(cross_alone(n, first + 1, tiles.of(first)), 2);
      taken.check([&](int i, int j, int column) {
        const int line = std::min(i, j) / 4 - first;
        // The second's row and column have those of the first's tile as well.
        return column < before.end ? line >= 0 : column < tiles.of(first).end && line == 1;
      });
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
        Taken taken(n, narrow_tile, columns, width);
        taken.take(narrow_cross(n, columns), 1);
        taken.take(narrow_line(n, columns), 1);
        taken.take(narrow_rest(n, columns), 2);
        taken.check([=](int i, int j, int) { return std::min(i, j) >= k && std::max(i, j) > k; });
      }
    }
  }
}

}  // namespace
}  // namespace portcost::test::test_gauss_rounds
