// SPDX-License-Identifier: Apache-2.0
// gauss: the order of work. Launches on several streams are followed with what their stream has
// waited for: a launch may use no part of the matrix of which another launch, not waited for, is
// the writer, or which such a launch still reads. Each part takes all products, once and in turn.
#include <catch2/generators/catch_generators.hpp>
#include <unordered_set>

#include "tests/support.hpp"
#include "variants/gauss/schedule.hpp"

namespace portcost::test::test_gauss_order {

using namespace gauss;

constexpr int cell = SmallestShape::tile;

// The launches that are over when the next one on a stream begins, by their numbers.
using Timeline = std::unordered_set<int>;

// As GraphStreams and its Branch.
struct FakeBranch {
  Timeline& ahead;
  mutable Timeline own = {}, ended = {};

  void waits() const { own.insert(ahead.begin(), ahead.end()); }
  void ends() const { ended = own; }
  void joins() const { ahead.insert(ended.begin(), ended.end()); }
};
struct FakeStreams {
  mutable Timeline ahead = {};
  FakeBranch side{ahead}, soon{ahead}, rest{ahead};
};

// The matrix in cells of 32 x 32, and what launches do to it.
class Followed {
 public:
  explicit Followed(int n)
      : n_(n),
        rows_(tiles_of(n, cell)),
        cols_(tiles_of(n + 1, cell)),
        stored_rows_(static_cast<int>(padded(n)) / cell),
        stored_cols_(static_cast<int>(padded(n + 1)) / cell),
        cells_(static_cast<std::size_t>(rows_ * cols_)) {}

  // A launch on `stream` that takes the products over `columns` from tiles of `tile`.
  void product(Timeline& stream, const Region& region, int tile) {
    if (region.count() == 0) return;
    begin(stream);
    for_cells(region, tile, [&](int i, int j) { take(i, j, region.columns); });
    end(stream);
  }
  // Closes tile k of `tile`, less the products over `columns`, if any.
  void close(Timeline& stream, int k, int tile, Columns columns = {}) {
    begin(stream);
    const Region alone{{}, {k, 1}, {k, 1}, {0, 0}, {0, 0}};
    for_cells(alone, tile, [&](int i, int j) {
      take(i, j, columns);
      finish(i, j, k * tile / cell);
    });
    end(stream);
  }
  // Solves for the cross of tile k.
  void solve(Timeline& stream, int k, int tile) {
    begin(stream);
    const Tiles tiles(n_, tile);
    const Region alone{{}, {k, 1}, {k, 1}, {0, 0}, {0, 0}};
    for_cells(alone, tile, [&](int i, int j) { read(i, j); });
    for_cells(tiles.cross(k, tiles.of(k)), tile,
              [&](int i, int j) { finish(i, j, k * tile / cell); });
    end(stream);
  }

  // What is wrong, and whether any cell is not finished.
  std::string faults() const {
    const bool finished = std::ranges::all_of(cells_, &Cell::finished);
    return fault_ + (finished ? "" : "a cell is never finished; ");
  }

 private:
  struct Cell {
    int writer = -1;
    std::vector<int> readers = {};
    int taken = 0;  // products: of the first so many cells before it
    bool finished = false;
  };

  Cell& at(int i, int j) { return cells_[static_cast<std::size_t>(i * cols_ + j)]; }
  void wrong(const std::string& what) {
    if (fault_.size() < 200) fault_ += what + "; ";
  }

  void begin(const Timeline& stream) {
    ++launch_;
    stream_ = &stream;
  }
  void end(Timeline& stream) const { stream.insert(launch_); }
  bool over(int launch) const {
    return launch < 0 || launch == launch_ || stream_->contains(launch);
  }

  void read(int i, int j) {
    Cell& one = at(i, j);
    if (!over(one.writer)) wrong("read before it is written");
    if (one.readers.empty() || one.readers.back() != launch_) one.readers.push_back(launch_);
  }
  void write(int i, int j) {
    Cell& one = at(i, j);
    if (!over(one.writer)) wrong("written by two at a time");
    for (const int reader : one.readers) {
      if (!over(reader)) wrong("written while it is read");
    }
    one.readers.clear();
    one.writer = launch_;
  }

  void take(int i, int j, Columns columns) {
    for (int k = columns.first / cell; k < columns.end / cell; ++k) {
      for (const auto& [row, col] : {std::pair(i, k), std::pair(k, j)}) {
        if (!at(row, col).finished) wrong("a factor of a product is not finished");
        read(row, col);
      }
      if (at(i, j).taken != k) wrong("products out of turn");
      at(i, j).taken = k + 1;
    }
    write(i, j);
  }
  // With its own tile's part, before which it must have all `products`.
  void finish(int i, int j, int products) {
    if (at(i, j).taken != products) wrong("products are missing");
    if (at(i, j).finished) wrong("finished twice");
    write(i, j);
    at(i, j).finished = true;
  }

  template <class Action>
  void for_cells(const Region& region, int tile, const Action& action) {
    const int times = tile / cell;
    for (int index = 0; index < region.count(); ++index) {
      const Tile of = region.at(index);
      for (int q = 0; q < times * times; ++q) {
        const int i = of.row * times + q / times, j = of.col * times + q % times;
        if (i >= stored_rows_ || j >= stored_cols_) wrong("a tile outside of the memory");
        if (i < rows_ && j < cols_) action(i, j);
      }
    }
  }

  int n_, rows_, cols_, stored_rows_, stored_cols_, launch_ = -1;
  std::vector<Cell> cells_;
  const Timeline* stream_ = nullptr;
  std::string fault_;
};

// The steps' launches, as variants/gauss/cuda/look_ahead.cuh has them.
struct Launches {
  int n, wave;
  Followed matrix{n};
  FakeStreams on = {};

  template <bool priorities>
  void ahead(int first, int end, Columns taken) {
    order_ahead<priorities>(
        n, wave, on, first, end, taken, [&](int k, Columns columns) { next(k, columns); },
        [&](int k) { matrix.close(on.ahead, k, panel_tile); },
        [&](int k) { matrix.solve(on.ahead, k, panel_tile); },
        [&](const Region& region) { matrix.product(on.rest.own, region, panel_tile); });
  }
  template <bool priorities>
  void of_two(int count) {
    order_of_two<priorities>(
        n, wave, on, count, [&](int k, Columns columns) { next(k, columns); },
        [&](int k) { matrix.close(on.ahead, k, panel_tile); },
        [&](int k) { matrix.solve(on.ahead, k, panel_tile); },
        [&](const Region& region, const FakeBranch& to) {
          matrix.product(to.own, region, panel_tile);
        });
  }
  void narrow(Columns taken) {
    order_narrow(
        n, on, taken,
        [&](int k, Columns columns) { matrix.close(on.ahead, k, narrow_tile, columns); },
        [&](int k) { matrix.solve(on.ahead, k, narrow_tile); },
        [&](Columns columns) {
          matrix.product(on.side.own, narrow_cross(n, columns), SmallShape::tile);
        },
        [&](Columns columns) {
          matrix.product(on.rest.own, narrow_line(n, columns), SmallShape::tile);
          matrix.product(on.rest.own, narrow_rest(n, columns), panel_tile);
        });
  }

 private:
  void next(int k, Columns columns) {
    matrix.product(on.ahead, tile_alone(k, columns), SmallestShape::tile);
    matrix.product(on.side.own, cross_alone(n, k, columns), SmallShape::tile);
  }
};

TEST_CASE("gauss order: rounds take each tile over each column before it once", "[gauss]") {
  for (const auto& [n, r1] : {std::pair(1, 64), {64, 64}, {200, 16}, {300, 128}, {500, 256}}) {
    CAPTURE(n, r1);
    const Tiles tiles(n, 64);
    std::map<std::array<int, 3>, int> taken;  // tile's row and column, column of the matrix
    const auto take = [&](const Region& region) {
      for (int index = 0; index < region.count(); ++index) {
        const Tile at = region.at(index);
        for (int k = region.columns.first; k < region.columns.end; ++k) {
          ++taken[{at.row, at.col, k}];
        }
      }
    };
    rounds(
        tiles, r1,
        [&](int k, Columns over) {
          take({over, {k, 1}, {k, 1}, {0, 0}, {0, 0}});
        },
        [&](int, const Region& region) { take(region); }, take);
    std::map<std::array<int, 3>, int> wanted;
    for (int at = 0; at < tiles.rows * tiles.cols; ++at) {
      const int i = at / tiles.cols, j = at % tiles.cols;
      for (int k = 0; k < (std::min(i, j) + 1) * 64 && k < tiles.rows * 64; ++k)
        wanted[{i, j, k}] = 1;
    }
    CHECK((taken == wanted));
  }
}
TEST_CASE("gauss order: how many tiles are wide, and how many a launch has", "[gauss]") {
  for (const auto& [n, tiles] : {std::pair(1, 0), {3072, 0}, {3073, 1}, {4096, 8}}) {
    CHECK(wide_tiles(n) == tiles);
  }
  for (const auto& [n, tiles] : {std::pair(1, 0), {2048, 0}, {2049, 0}, {2177, 2}, {4096, 16}}) {
    CHECK(delayed_tiles(n) == tiles);  // an even number
  }
  const Region all = Tiles(100'000, panel_tile).rest(1, {0, 128});
  CHECK(in_waves(all, 231)[0].count() == 231);
  CHECK(in_waves(all, 1 << 30)[0].count() == all.count() / 2);
  CHECK(wave_beside(231, tile_alone(3, {0, 128})) == 231 - 16);
  CHECK(wave_beside(231, all) == 115);
}
TEST_CASE("gauss order: look_ahead and priorities use nothing too early", "[gauss]") {
  const int n = GENERATE(1, 127, 128, 300, 700, 1100), wave = GENERATE(1, 7, 231);
  CAPTURE(n, wave);
  Launches plain{n, wave}, prioritised{n, wave};
  plain.ahead<false>(0, tiles_of(n, panel_tile), {});
  CHECK(plain.matrix.faults() == "");
  prioritised.ahead<true>(0, tiles_of(n, panel_tile), {});
  CHECK(prioritised.matrix.faults() == "");
}

TEST_CASE("gauss order: narrow_tiles uses nothing too early", "[gauss]") {
  const int n = GENERATE(1, 63, 64, 65, 300, 700, 1100), wave = GENERATE(1, 7, 231);
  CAPTURE(n, wave);
  Launches step{n, wave};
  const int wide = wide_tiles(n, 6);
  step.ahead<false>(0, wide, {});
  step.narrow(wide > 0 ? Tiles(n, panel_tile).of(wide - 1) : Columns{});
  CHECK(step.matrix.faults() == "");
}

TEST_CASE("gauss order: delayed_updates and whole_tile use nothing too early", "[gauss]") {
  const int n = GENERATE(1, 300, 640, 700, 1100, 1500), wave = GENERATE(1, 7, 231);
  CAPTURE(n, wave);
  const int wide = delayed_tiles(n, 4);
  Launches delayed{n, wave}, whole{n, wave};
  delayed.of_two<false>(wide);
  delayed.narrow(columns_of_two(wide - 2));
  CHECK(delayed.matrix.faults() == "");
  whole.of_two<true>(wide);
  whole.ahead<true>(wide, tiles_of(n, panel_tile), columns_of_two(wide - 2));
  CHECK(whole.matrix.faults() == "");
}

}  // namespace portcost::test::test_gauss_order
