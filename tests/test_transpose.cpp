// SPDX-License-Identifier: Apache-2.0
// transpose: every variant by hand and around sizes of tiles, packs and bands; its truth.
#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::test::test_transpose {
namespace {

using namespace transpose;

const Algorithm& row() { return algorithm_called("transpose"); }

Problem problem_of(std::int64_t nx, std::int64_t ny, std::int64_t batch, ElementType type) {
  return test::problem_of(row(), fmt::format("nx={},ny={},batch={}", nx, ny, batch), "", type);
}

// Every variant, peers among them: the rule of agreement is to the bit.
void agree(Place place, std::int64_t nx, std::int64_t ny, std::int64_t batch, ElementType type) {
  test::agree(row(), place, problem_of(nx, ny, batch, type));
}

// Rows 0 1 2 / 3 4 5 and 6 7 8 / 9 10 11; in place, where nothing else is written, the first three.
template <class T>
void transpose_by_hand(Place place) {
  const Stream& stream = shared_stream(place);
  int seen = 0, seen_in_place = 0;
  for (const auto& [name, launch] : launches<Matrices<T>>("transpose", place)) {
    CAPTURE(name);
    const bool in_place = mentions(name, " in_place");
    const std::vector<T> given = in_place ? std::vector<T>{0, 1, 2, 3, 4, 5, 6, 7, 8}
                                          : std::vector<T>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const std::vector<T> right = in_place ? std::vector<T>{0, 3, 6, 1, 4, 7, 2, 5, 8}
                                          : std::vector<T>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11};
    const std::vector<T> unwritten(given.size(), T(-1));
    Buffer<T> a(given.size(), place), b(given.size(), place);
    a.upload(given, stream);
    b.upload(unwritten, stream);
    const T* answer = b.data();
    launch({{a.data(), b.data(), 3, in_place ? 3 : 2}, &answer, in_place ? 1 : 2}, stream);
    CHECK(a.download(stream) == (in_place ? right : given));
    CHECK(b.download(stream) == (in_place ? unwritten : name.ends_with("copy") ? given : right));
    CHECK(answer == (in_place ? a : b).data());
    ++(in_place ? seen_in_place : seen);
  }
  const bool no_kokkos = place == Place::host && PORTCOST_HAS_CUDA;  // it is where the GPU is
  CHECK(seen >= (no_kokkos ? 5 : 10));
  CHECK(seen_in_place >= (no_kokkos ? 1 : 4));
}

std::string judged(std::string_view step, std::int64_t nx, std::int64_t ny, std::size_t at) {
  return fault_of_2(row(), problem_of(nx, ny, 2, ElementType::f32), step, at);
}

TEST_CASE("transpose: sizes and matrices that are refused or unfit, cost and memory",
          "[transpose]") {
  CHECK(mentions(refusal(row(), "nx=0"), "0"));
  CHECK(mentions(refusal(row(), "ny=0"), "0"));
  CHECK(mentions(refusal(row(), "batch=0"), "0"));
  CHECK(mentions(refusal(row(), "nx=1073741825"), "1073741825"));
  CHECK(mentions(refusal(row(), "nx=1,ny=33,batch=536870913"), "tiles of 32 x 32"));
  CHECK(refusal(row(), "nx=1,ny=33,batch=536870912") == "(nothing thrown)");
  int seen = 0;
  for (const Variant& variant : row().variants) {
    if (!variant.step.starts_with("in_place") || variant.model == Model::reference) continue;
    CHECK(mentions(variant.unfit(problem_of(33, 34, 1, ElementType::f32)), "square"));
    CHECK(variant.unfit(problem_of(33, 33, 1, ElementType::f32)).empty());
    ++seen;
  }
  CHECK(seen >= 2);
  int whole = 0;
  for (const Variant& variant : row().variants) {
    if (variant.step != "whole_matrices") continue;
    CHECK(mentions(variant.unfit(problem_of(64, 65, 9, ElementType::f32)), "16 KiB"));
    CHECK(mentions(variant.unfit(problem_of(64, 64, 9, ElementType::f64)), "16 KiB"));
    CHECK(variant.unfit(problem_of(64, 64, 9, ElementType::f32)).empty());
    ++whole;
  }
  CHECK(whole >= 2);
  const Problem problem = problem_of(100, 30, 4, ElementType::f64);
  CHECK(row().cost(problem).at(0).amount == 2 * 100 * 30 * 4 * 8);
  CHECK(row().cost(problem).at(0).limit == "copy");
  CHECK(row().footprint(problem) == 5 * 100 * 30 * 4 * 8);
}

TEST_CASE("transpose truth: wrong elements, and what is not transposed", "[transpose]") {
  // Of 5 columns and 3 rows: element (4, 1) of the second transposed matrix, (2, 3) of its copy.
  CHECK(mentions(judged("naive", 5, 3, 15 + 4 * 3 + 1), "element [4][1] of matrix 1 is 2, where"));
  CHECK(mentions(judged("copy", 5, 3, 15 + 2 * 5 + 3), "element [2][3] of matrix 1 is 2, where"));
  // Of many, corners among those that are drawn.
  CHECK(mentions(judged("naive", 900, 700, 0), "element [0][0] of matrix 0"));
  CHECK(mentions(judged("naive", 900, 700, 2 * 630'000 - 1), "element [899][699] of matrix 1"));
  const auto fault = [](std::string_view step, std::string_view other) {
    const Problem problem = problem_of(40, 40, 1, ElementType::f64);
    return Reference(row(), problem, step).fault(Reference(row(), problem, other).answer());
  };
  CHECK(fault("wide", "copy") != "");
  CHECK(fault("copy", "wide") != "");
}

TEST_CASE_IN_PLACES("transpose: {} variants transpose by hand", "[transpose][kokkos]") {
  transpose_by_hand<float>(place);
  transpose_by_hand<double>(place);
}

TEST_CASE_IN_PLACES("transpose: {} variants agree around tiles", "[transpose][kokkos]", "[slow]") {
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
    // Rows of B that begin 1, 2 and 4 elements past a sector, and borders of tiles moved by 7.
    for (const std::int64_t ny : {57, 58, 60, 71, 121, 135}) agree(place, 66, ny, 3, type);
    // The largest matrices of which a team takes several, or one; a last team with fewer.
    agree(place, 64, 64, 3, type);
    agree(place, 64, 32, 5, type);
    agree(place, 32, 32, 7, type);
    agree(place, 1, 1, 9001, type);
    agree(place, 5, 3, 1001, type);
    agree(place, 2, 8, 515, type);
    agree(place, 63, 65, 2, type);
  }
}

#if PORTCOST_HAS_CUDA
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

}  // namespace
}  // namespace portcost::test::test_transpose
