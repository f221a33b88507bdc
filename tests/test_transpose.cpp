// SPDX-License-Identifier: Apache-2.0
// transpose: every variant around sizes of tiles, packs and bands; sizes that are refused or unfit.
#include "tests/matrix_checks.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::test::test_transpose {

using namespace transpose;

const Algorithm& row() { return algorithm_called("transpose"); }

Problem problem_of(std::int64_t nx, std::int64_t ny, std::int64_t batch, ElementType type) {
  return test::problem_of(row(), fmt::format("nx={},ny={},batch={}", nx, ny, batch), "", type);
}

// Every variant, peers among them: the rule of agreement is to the bit.
void agree(Place place, std::int64_t nx, std::int64_t ny, std::int64_t batch, ElementType type) {
  test::agree(row(), place, problem_of(nx, ny, batch, type));
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

}  // namespace portcost::test::test_transpose
