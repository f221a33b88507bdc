// SPDX-License-Identifier: Apache-2.0
// transpose: shapes by hand, who has which elements, and where in scratch they lie; cost.
#include "tests/matrix_checks.hpp"
#include "variants/transpose/problem.hpp"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::test::test_transpose {

using namespace transpose;

const Algorithm& row() { return algorithm_called("transpose"); }

Problem problem_of(std::int64_t nx, std::int64_t ny, std::int64_t batch, ElementType type) {
  return test::problem_of(row(), fmt::format("nx={},ny={},batch={}", nx, ny, batch), "", type);
}

TEST_CASE("transpose: cost and memory", "[transpose]") {
  CHECK_FALSE(SmallMatrices<float>::fit(1 << 30, 1 << 30));
  const Problem problem = problem_of(100, 30, 4, ElementType::f64);
  CHECK(row().cost(problem).at(0).amount == 2 * 100 * 30 * 4 * 8);
  CHECK(row().cost(problem).at(0).limit == "copy");
  CHECK(row().footprint(problem) == 5 * 100 * 30 * 4 * 8);
}

// Of rows that begin anywhere, tiles' stretches are whole sectors and cover each row once; rows of
// A that a team reads hold all of it.
template <class T>
void check_sectors(int ny) {
  using Shape = SectorShape<T>;
  CAPTURE(ny);
  alignas(256) static T memory[16 * 200];
  const int most = Shape::most_past(ny);
  int greatest = 0, cut = 0, outside = 0, missed = 0;
  for (int j = 0; j < 2 * Shape::sector; ++j) {
    const int past = Shape::past(memory + j * ny);
    greatest = std::max(greatest, past);
    int next = 0;
    for (int line = 0; line < Shape::lines(ny, ny); ++line) {
      const int from = std::max(0, line * Shape::tile - past);
      const int to = std::min(ny, (line + 1) * Shape::tile - past);
      missed += from < to && from != next;
      if (from < to) next = to;
      cut += from < to && from > 0 && (j * ny + from) % Shape::sector != 0;
      outside += from < to && from < line * Shape::tile - most;
      outside += to > line * Shape::tile - most + Shape::all_rows;
    }
    missed += next != ny;
  }
  CHECK(greatest == most);
  CHECK(cut == 0);
  CHECK(outside == 0);
  CHECK(missed == 0);
}

// Each element has a place of its own; packs stay together; eight threads that store packs of one
// column or load those of one row, 16 bytes each, meet in none of the eight groups of banks.
TEMPLATE_TEST_CASE("transpose shapes: wide has places for all", "[transpose]", float, double) {
  using Shape = WideShape<TestType>;
  std::vector<int> seen(Shape::elements, 0);
  for (int r = 0; r < Shape::tile; ++r) {
    for (int c = 0; c < Shape::tile; ++c) ++seen[static_cast<std::size_t>(Shape::place(r, c))];
  }
  CHECK(std::count(seen.begin(), seen.end(), 1) == Shape::elements);
  int apart = 0, meeting = 0;
  for (int r = 0; r < Shape::tile; r += Shape::pack) {
    for (int c = 0; c < Shape::tile; c += Shape::pack) {
      apart += Shape::place(r, c + Shape::pack - 1) != Shape::place(r, c) + Shape::pack - 1;
      apart += Shape::place(r, c) % Shape::pack != 0;
      std::set<int> storing, loading;
      for (int k = 0; k < 8; ++k) {
        const int down = (r / Shape::pack / 8 * 8 + k) * Shape::pack;
        const int along = (c / Shape::pack / 8 * 8 + k) * Shape::pack;
        storing.insert(Shape::place(down, c) / Shape::pack % 8);
        loading.insert(Shape::place(r, along) / Shape::pack % 8);
      }
      meeting += storing.size() != 8;
      meeting += loading.size() != 8;
    }
  }
  CHECK(apart == 0);
  CHECK(meeting == 0);
  CHECK(Shape::blocks * Shape::pack * Shape::pack * Shape::threads == Shape::elements);
  CHECK(Shape::rows * Shape::pack * Shape::threads == Shape::elements);
  CHECK(Shape::elements * sizeof(TestType) + 16 <= 40'000);
}

TEST_CASE("transpose shapes: packs need rows that begin where packs do", "[transpose]") {
  CHECK(WideShape<float>::fits(8, 4));
  CHECK_FALSE(WideShape<float>::fits(6, 4));
  CHECK_FALSE(WideShape<float>::fits(4, 6));
  CHECK(WideShape<double>::fits(6, 4));
  CHECK_FALSE(WideShape<double>::fits(6, 3));
  CHECK(SquareShape<float>::fits(8, 4));
  CHECK_FALSE(SquareShape<float>::fits(6, 4));
  CHECK_FALSE(SquareShape<float>::fits(4, 6));
}

// bulk_copies: the squares cover the tile, and eight neighbouring threads that load a row of their
// squares, or store one of the transposed squares, meet in none of the eight groups of banks. Rows
// begin at 16 bytes, which copies demand.
TEMPLATE_TEST_CASE("transpose shapes: bulk_copies meets in no bank", "[transpose]", float, double) {
  using Shape = BulkShape<TestType>;
  std::set<std::pair<int, int>> squares;
  int meeting = 0;
  for (int first = 0; first < Shape::threads; first += 8) {
    std::set<int> loading, storing;
    for (int thread = first; thread < first + 8; ++thread) {
      const int i = Shape::row(thread), j = Shape::column(thread);
      squares.emplace(i, j);
      loading.insert((i * Shape::pitch + j) / Shape::pack % 8);
      storing.insert((j * Shape::pitch + i) / Shape::pack % 8);
    }
    meeting += loading.size() != 8 || storing.size() != 8;
  }
  CHECK(meeting == 0);
  CHECK(static_cast<int>(squares.size()) == Shape::threads);
  CHECK(squares.rbegin()->first + Shape::pack == Shape::tile);
  CHECK(Shape::threads * Shape::pack * Shape::pack == Shape::tile * Shape::tile);
  CHECK(Shape::threads >= Shape::tile);  // a row a thread
  CHECK(Shape::pitch % Shape::pack == 0);
}

TEST_CASE("transpose shapes: whole_sectors writes whole sectors, each once", "[transpose]") {
  for (int ny = 1; ny <= 200; ++ny) {
    check_sectors<float>(ny);
    check_sectors<double>(ny);
  }
  CHECK(SectorShape<float>::most_past(8192) == 0);
  CHECK(SectorShape<float>::most_past(8193) == 7);
  CHECK(SectorShape<float>::most_past(8194) == 6);
  CHECK(SectorShape<double>::most_past(8193) == 3);
  CHECK(SectorShape<double>::most_past(8194) == 2);
  CHECK(SectorShape<double>::elements * sizeof(double) <= 40'000);
}

// How far rows of B begin past a sector at most, for blocks, rows and matrices anywhere.
TEMPLATE_TEST_CASE("transpose shapes: how far rows begin past", "[transpose]", float, double) {
  using Shape = SectorShape<TestType>;
  alignas(256) static TestType memory[4096];
  int wrong = 0, wider = 0;
  for (int begin = 0; begin < 16; ++begin) {
    for (int ldb = 1; ldb < 40; ++ldb) {
      for (const int apart : {0, 1, 2, 4, 8}) {
        const Submatrix<TestType> s{memory, memory + begin, 5, 7, 9, ldb, 0, 32 * ldb + apart};
        int greatest = 0;
        for (int m = 0; m < 2; ++m) {
          for (int j = 0; j < 16; ++j) {
            greatest = std::max(greatest, Shape::past(s.row_of_b(m, j)));
          }
        }
        wrong += greatest > Shape::most_past(s.step_b());
        wider += begin == 0 && apart == 0 && greatest < Shape::most_past(s.step_b());
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(wider == 0);
  CHECK(sizeof(Submatrix<double>) == 48);
}

TEST_CASE("transpose shapes: tiles by column, by line and by diagonal", "[transpose]") {
  using Down = TileOrder<true>;
  using Along = TileOrder<false>;
  CHECK((Down::fast(7, 3) == 3 && Down::slow(7, 3) == 7));
  CHECK((Down::at(2, 6).row == 2 && Down::at(2, 6).col == 6));
  CHECK((Along::fast(7, 3) == 7 && Along::slow(7, 3) == 3));
  CHECK((Along::at(6, 2).row == 2 && Along::at(6, 2).col == 6));
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{5, 5}, {3, 7}, {7, 3}}) {
    CAPTURE(rows, columns);
    std::set<std::pair<int, int>> seen;
    for (int slow = 0; slow < columns; ++slow) {
      for (int fast = 0; fast < rows; ++fast) {
        seen.emplace(fast, diagonal_column(fast, slow, columns));
      }
    }
    CHECK(seen.size() == static_cast<std::size_t>(rows * columns));
  }
  CHECK(diagonal_column(0, 0, 5) == 0);
  CHECK(diagonal_column(1, 0, 5) == 1);
  CHECK(diagonal_column(3, 4, 5) == 2);
  CHECK(diagonal_column(1 << 30, 1 << 30, 3) == 2);
}

TEST_CASE("transpose shapes: rows past 2^32 elements are found with 64 bits", "[transpose]") {
  alignas(16) static float first = 0;
  const Places<float> s{&first, &first, 70'000, 80'000};
  const auto elements = [](const float* at) {
    return (reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(&first)) / 4;
  };
  CHECK(s.size() == 5'600'000'000);
  CHECK(elements(s.row_of_a(2, 79'999)) == 11'200'000'000 + 79'999ull * 70'000);
  CHECK(elements(s.row_of_b(2, 69'999)) == 11'200'000'000 + 69'999ull * 80'000);
  CHECK(elements(s.row_of_copy(1, 79'999)) == 5'600'000'000 + 79'999ull * 70'000);
}

}  // namespace portcost::test::test_transpose
