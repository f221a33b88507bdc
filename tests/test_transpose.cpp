// SPDX-License-Identifier: Apache-2.0
// transpose: its shapes, on values worked out by hand; every variant on a matrix that is written
// out, and at sizes around those of tiles, packs and bands; its truth on wrong answers.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/support/error.hpp"
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::test::test_transpose {

namespace {

using namespace transpose;

const Algorithm& row() { return algorithm_called("transpose"); }

Problem problem_of(std::int64_t nx, std::int64_t ny, std::int64_t batch, ElementType type) {
  return test::problem_of(
      row(),
      "nx=" + std::to_string(nx) + ",ny=" + std::to_string(ny) + ",batch=" + std::to_string(batch),
      "", type);
}

// Every variant that takes the problem, peers among them, against its step's reference to the bit.
void agree(Place place, std::int64_t nx, std::int64_t ny, std::int64_t batch, ElementType type) {
  const Problem problem = problem_of(nx, ny, batch, type);
  Stream &stream = shared_stream(place), &host = shared_stream(Place::host);
  const auto instance = row().make(problem, stream), on_host = row().make(problem, host);
  const auto expected = [&](std::string_view step) {
    return run_afresh(*on_host, *reference_of(row(), step).make(problem, *on_host));
  };
  const Answer copied = expected("copy"), transposed = expected("naive");
  CAPTURE(problem.size.text(), name(type));
  for_answers(row(), place, problem, *instance, [&](const Variant& variant, const Answer& answer) {
    CHECK(compare_exact(answer, variant.step == "copy" ? copied : transposed, stream).text == "");
    CHECK(row().judge(problem, variant.step, answer, *instance).fault == "");
  });
}

void agree_around_tiles(Place place) {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const std::int64_t n : {1, 2, 31, 32, 33, 63, 64, 65, 96, 97, 129, 160}) {
      agree(place, n, n, 3, type);
      agree(place, n, 1, 2, type);
      agree(place, 1, n, 2, type);
      agree(place, n, 68, 2, type);
      agree(place, 36, n, 2, type);
    }
    agree(place, 4, 4, 1027, type);
    agree(place, 1000, 612, 1, type);
    agree(place, 515, 1027, 1, type);
  }
}

// Rows 0 1 2 / 3 4 5 and 6 7 8 / 9 10 11.
template <class T>
void transpose_by_hand(Place place) {
  const Stream& stream = shared_stream(place);
  const std::vector<T> given{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const std::vector<T> right{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11};
  int seen = 0;
  for (const auto& [name, launch] : launches<Matrices<T>>("transpose", place)) {
    if (name.ends_with("in_place")) continue;
    CAPTURE(name);
    Buffer<T> a(given.size(), place), b(given.size(), place);
    a.upload(given, stream);
    b.poison(stream);
    const T* answer = b.data();
    launch({a.data(), b.data(), &answer, 3, 2, 2}, stream);
    CHECK(b.download(stream) == (name.ends_with("copy") ? given : right));
    CHECK(a.download(stream) == given);
    CHECK(answer == b.data());
    ++seen;
  }
  CHECK(seen >= 10);
}

// 0 1 2 / 3 4 5 / 6 7 8: in its own memory, and no other is written.
template <class T>
void transpose_in_place_by_hand(Place place) {
  const Stream& stream = shared_stream(place);
  const std::vector<T> given{0, 1, 2, 3, 4, 5, 6, 7, 8}, right{0, 3, 6, 1, 4, 7, 2, 5, 8};
  int seen = 0;
  for (const auto& [name, launch] : launches_of<Matrices<T>>("transpose", "in_place", place)) {
    if (name.starts_with("reference")) continue;
    CAPTURE(name);
    Buffer<T> a(given.size(), place), b(given.size(), place);
    a.upload(given, stream);
    b.upload(std::vector<T>(given.size(), T(-1)), stream);
    const T* answer = b.data();
    launch({a.data(), b.data(), &answer, 3, 3, 1}, stream);
    CHECK(a.download(stream) == right);
    CHECK(b.download(stream) == std::vector<T>(given.size(), T(-1)));
    CHECK(answer == a.data());
    ++seen;
  }
  CHECK(seen >= (place == Place::host && PORTCOST_HAS_CUDA ? 0 : 2));  // Kokkos is where the GPU is
}

void matrices_by_hand(Place place) {
  transpose_by_hand<float>(place);
  transpose_by_hand<double>(place);
  transpose_in_place_by_hand<float>(place);
  transpose_in_place_by_hand<double>(place);
}

// Each element has a place of its own; packs stay together; eight threads that store packs of one
// column or load those of one row, 16 bytes each, meet in none of the eight groups of banks.
template <class T>
void check_places() {
  using Shape = WideShape<T>;
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
  CHECK(Shape::elements * sizeof(T) + 16 <= 40'000);
}

template <class T>
void transpose_squares() {
  constexpr int wide = Square<T>::wide, apart = wide + 3, to_apart = wide + 1;
  std::vector<T> from(wide * apart), to(wide * to_apart, T(-1));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i);
  Square<T>::transpose(to.data(), to_apart, from.data(), apart);
  int wrong = 0;
  for (int i = 0; i < wide; ++i) {
    for (int j = 0; j < wide; ++j) {
      wrong += to[static_cast<std::size_t>(j * to_apart + i)] != static_cast<T>(i * apart + j);
    }
    wrong += i + 1 < wide && to[static_cast<std::size_t>(i * to_apart + wide)] != T(-1);
  }
  CHECK(wrong == 0);
}

// A right answer of `step` with one element changed: its judgement.
std::string judged(const std::string& step, std::int64_t nx, std::int64_t ny, std::size_t at) {
  const Problem problem = problem_of(nx, ny, 2, ElementType::f32);
  const auto instance = row().make(problem, shared_stream(Place::host));
  Answer answer = run_afresh(*instance, *reference_of(row(), step).make(problem, *instance));
  CHECK(row().judge(problem, step, answer, *instance).fault == "");
  answer = with_element(std::move(answer), "out", at, 2.0f);
  return row().judge(problem, step, answer, *instance).fault;
}

std::string refusal(const std::string& size) {
  return message_of<UsageError>([&] {
    const Problem problem = test::problem_of(row(), size, "", ElementType::f32);
    row().validate(problem);
  });
}

}  // namespace

TEST_CASE("transpose shapes: a tile of wide has a place for each element, without conflicts",
          "[transpose]") {
  check_places<float>();
  check_places<double>();
}

TEST_CASE("transpose shapes: wide moves packs where all rows begin at 16 bytes", "[transpose]") {
  CHECK(WideShape<float>::fits(8, 4));
  CHECK_FALSE(WideShape<float>::fits(6, 4));
  CHECK_FALSE(WideShape<float>::fits(4, 6));
  CHECK(WideShape<double>::fits(6, 4));
  CHECK_FALSE(WideShape<double>::fits(6, 3));
}

TEST_CASE("transpose shapes: pairs are every tile on and above the diagonal, each once",
          "[transpose]") {
  for (int tiles = 1; tiles <= 9; ++tiles) {
    CAPTURE(tiles);
    const PairGrid grid{tiles};
    std::set<std::pair<int, int>> seen;
    int below = 0;
    for (int line = 0; line < grid.lines(); ++line) {
      for (int column = 0; column < grid.columns(); ++column) {
        const Tile at = grid.at(column, line);
        below += at.row > at.col || at.row < 0 || at.col >= tiles;
        seen.emplace(at.row, at.col);
      }
    }
    CHECK(below == 0);
    CHECK(grid.lines() * grid.columns() == tiles * (tiles + 1) / 2);
    CHECK(seen.size() == static_cast<std::size_t>(tiles * (tiles + 1) / 2));
  }
}

TEST_CASE("transpose shapes: diagonal order has every tile once, and neighbours share no column",
          "[transpose]") {
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
  const Matrices<float> s{&first, &first, nullptr, 70'000, 80'000, 3};
  const auto elements = [](const float* at) {
    return (reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(&first)) / 4;
  };
  CHECK(s.size() == 5'600'000'000);
  CHECK(elements(s.row_of_a(2, 79'999)) == 11'200'000'000 + 79'999ull * 70'000);
  CHECK(elements(s.row_of_b(2, 69'999)) == 11'200'000'000 + 69'999ull * 80'000);
  CHECK(elements(s.row_of_copy(1, 79'999)) == 5'600'000'000 + 79'999ull * 70'000);
}

TEST_CASE("transpose shapes: a square of vectors is transposed", "[transpose]") {
  transpose_squares<float>();
  transpose_squares<double>();
}

TEST_CASE("transpose: sizes that are too small, too large or not square are refused",
          "[transpose]") {
  CHECK(mentions(refusal("nx=0"), "0"));
  CHECK(mentions(refusal("ny=0"), "0"));
  CHECK(mentions(refusal("batch=0"), "0"));
  CHECK(mentions(refusal("nx=1073741825"), "1073741825"));
  CHECK(mentions(refusal("nx=1,ny=33,batch=536870913"), "tiles of 32 x 32"));
  CHECK(refusal("nx=1,ny=33,batch=536870912") == "(nothing thrown)");
  int seen = 0;
  for (const Variant& variant : row().variants) {
    if (variant.step != "in_place" || variant.model == Model::reference) continue;
    CHECK(mentions(std::string(variant.unfit(problem_of(33, 34, 1, ElementType::f32))), "square"));
    CHECK(variant.unfit(problem_of(33, 33, 1, ElementType::f32)).empty());
    ++seen;
  }
  CHECK(seen >= 2);
}

TEST_CASE("transpose: cost and memory are those of the elements", "[transpose]") {
  const Problem problem = problem_of(100, 30, 4, ElementType::f64);
  CHECK(row().cost(problem).at(0).amount == 2 * 100 * 30 * 4 * 8);
  CHECK(row().cost(problem).at(0).limit == "copy");
  CHECK(row().footprint(problem) == 5 * 100 * 30 * 4 * 8);
}

TEST_CASE("transpose inputs: elements are at least 0 and less than 1, and differ", "[transpose]") {
  std::set<float> singles;
  std::set<double> doubles;
  for (std::uint64_t at = 0; at < 1000; ++at) {
    singles.insert(element<float>(7, at));
    doubles.insert(element<double>(7, at));
  }
  CHECK(singles.size() >= 995);
  CHECK(doubles.size() == 1000);
  CHECK(*singles.begin() >= 0);
  CHECK(*doubles.rbegin() < 1);
}

TEST_CASE("transpose truth: wrong elements are named", "[transpose]") {
  // Of 5 columns and 3 rows: element (4, 1) of the second transposed matrix, (2, 3) of its copy.
  CHECK(mentions(judged("naive", 5, 3, 15 + 4 * 3 + 1), "element [4][1] of matrix 1 is 2, where"));
  CHECK(mentions(judged("copy", 5, 3, 15 + 2 * 5 + 3), "element [2][3] of matrix 1 is 2, where"));
  // Of many, corners among those that are drawn.
  CHECK(mentions(judged("naive", 900, 700, 0), "element [0][0] of matrix 0"));
  CHECK(mentions(judged("naive", 900, 700, 2 * 630'000 - 1), "element [899][699] of matrix 1"));
}

TEST_CASE("transpose truth: matrices that are not transposed are no answer, nor the reverse",
          "[transpose]") {
  const Problem problem = problem_of(40, 40, 1, ElementType::f64);
  const auto instance = row().make(problem, shared_stream(Place::host));
  const auto answer = [&](std::string_view step) {
    return run_afresh(*instance, *reference_of(row(), step).make(problem, *instance));
  };
  CHECK(row().judge(problem, "wide", answer("copy"), *instance).fault != "");
  CHECK(row().judge(problem, "copy", answer("wide"), *instance).fault != "");
}

TEST_CASE("transpose: host variants transpose by hand", "[transpose][kokkos]") {
  matrices_by_hand(Place::host);
}

TEST_CASE("transpose: host variants agree around the sizes of tiles", "[transpose][kokkos]") {
  agree_around_tiles(Place::host);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("transpose: device variants transpose by hand", "[transpose][kokkos][gpu]") {
  need_device();
  matrices_by_hand(Place::device);
}

TEST_CASE("transpose: device variants agree around the sizes of tiles",
          "[transpose][kokkos][gpu]") {
  need_device();
  agree_around_tiles(Place::device);
}

// A grid's y and z end at 65535: as many lines of tiles, and matrices, take several launches.
TEST_CASE("transpose: device variants agree past the bands of a grid", "[transpose][kokkos][gpu]") {
  need_device();
  constexpr std::int64_t tiles = 65'536 + 3;
  agree(Place::device, 3, tiles * 32, 1, ElementType::f32);
  agree(Place::device, tiles * 32, 3, 1, ElementType::f32);
  agree(Place::device, 4, tiles * 64, 1, ElementType::f32);
  agree(Place::device, 3, tiles * 64, 1, ElementType::f32);
  agree(Place::device, 4, 4, tiles, ElementType::f32);
  agree(Place::device, 3, 3, tiles, ElementType::f64);
}
#endif

}  // namespace portcost::test::test_transpose
