// SPDX-License-Identifier: Apache-2.0
// jacobi: rule and layout by hand, the HOWTO's program, all variants, convergence, the judge.
#include <initializer_list>

#include "tests/matrix_checks.hpp"
#include "variants/jacobi/problem.hpp"

namespace portcost::test::test_jacobi {

using jacobi::Coefficients;

const Algorithm& row() { return algorithm_called("jacobi"); }

Problem problem_of(const std::string& size, const std::string& parameters,
                   ElementType type = ElementType::f64) {
  return test::problem_of(row(), size, parameters, type, 3);
}

Reference reference(const std::string& size, const std::string& parameters) {
  return {row(), problem_of(size, parameters)};
}

// The answer of each variant of a place is the reference's, to the bit.
void agree(Place place, const std::string& size, const std::string& parameters,
           std::initializer_list<ElementType> types = {ElementType::f32, ElementType::f64}) {
  for (const ElementType type : types) {
    test::agree(row(), place, problem_of(size, parameters, type),
                [](const Variant&) { return true; });
  }
}

// The HOWTO's program, as in its step 3: every operation rounded by itself.
std::vector<double> howto(int rows, int columns, int sweeps) {
  const int width = columns + 2, height = rows + 2;
  const double x = 1. / 0.5 / 0.5, y = 1. / 0.25 / 0.25, beta = 1.0 / (2.0 * (x + y));
  const auto index = [=](int i, int j) { return static_cast<std::size_t>(i * width + j); };
  std::vector<double> now(index(height, 0), 1.0), result;
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j <= columns; ++j) now[index(i, j)] = 0;
  }
  std::vector<double> next = now;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int i = 1; i <= rows; ++i) {
      for (int j = 1; j <= columns; ++j) {
        // Products by powers of 2 are exact, so that it does not matter whether these are fused.
        const double across = (now[index(i - 1, j)] + now[index(i + 1, j)]) * x;
        const double along = (now[index(i, j - 1)] + now[index(i, j + 1)]) * y;
        next[index(i, j)] = (across + along) * beta;
      }
    }
    now.swap(next);
  }
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j <= columns; ++j) result.push_back(now[index(i, j)]);
  }
  return result;
}

std::string refusal(const std::string& parameters) {
  return message_of<UsageError>(
      [&] { row().validate(problem_of("rows=3,columns=3,iterations=3", parameters)); });
}

TEST_CASE("jacobi rule: a node's new value and residual, coefficients, and which are refused",
          "[jacobi]") {
  const Coefficients<double> c = jacobi::coefficients(0.5, 0.25);
  CHECK((c.x == 4 && c.y == 16 && c.beta == 0.025));

  // ((1 + 2) 4 + (3 + 4) 16 - 44) / 40 = 2
  CHECK(jacobi::relaxed(c, 1.0, 2.0, 3.0, 4.0, jacobi::source(c, 44.0)) == 2.0);
  // (1 - 10 + 2) 4 + (3 - 10 + 4) 16 - 44 = -28 - 48 - 44
  CHECK(jacobi::residual(c, 5.0, 1.0, 2.0, 3.0, 4.0, 44.0) == 120.0);
  CHECK(jacobi::relaxed(c, 0.0, 0.0, 8.0, 0.0, jacobi::source(c, 0.0)) == 3.2);
  for (const std::string wrong : {"dx=0", "dy=-1", "dx=nan", "dx=1e-200", "dy=1e+200",
                                  "boundary=inf", "check_every=-1", "tolerance=-1"}) {
    CHECK(mentions(refusal(wrong), wrong + " "));
  }
  CHECK(mentions(refusal("tolerance=0.1"), "give check_every="));
  CHECK(mentions(refusal("depth=3"), "depth=3 must be 1, 2, 4 or 8"));
  CHECK(refusal("check_every=2,tolerance=0.1,depth=4") == "(nothing thrown)");
}

TEST_CASE("jacobi layout: rows start on 128 bytes, large grids have 64 bits", "[jacobi]") {
  CHECK(jacobi::pitch_of<double>(1) == 32);
  CHECK(jacobi::pitch_of<double>(15) == 32);
  CHECK(jacobi::pitch_of<double>(16) == 48);
  CHECK(jacobi::pitch_of<float>(31) == 64);
  CHECK(jacobi::pitch_of<float>(32) == 96);
  CHECK(jacobi::first_inside<double>(16) == 48 + 16);
  CHECK(jacobi::pitch_of<double>(std::int64_t{1} << 30) < (std::int64_t{1} << 31));
  const jacobi::Sweep<float> sweep{nullptr, nullptr, nullptr, 60000, 60000, 60064, {}};

  CHECK(sweep.offset(59999) == std::int64_t{59999} * 60064);
  CHECK(sweep.offset(-1) == -60064);
  CHECK((sweep.inside(0, 0) && sweep.inside(59999, 59999)));
  CHECK_FALSE((sweep.inside(-1, 0) || sweep.inside(0, 60000)));
}

TEST_CASE("jacobi: the reference has the HOWTO's bytes, and its frame's value", "[jacobi]") {
  const Reference right = reference("rows=37,columns=52,iterations=500", "fields=zero");
  CHECK(right.elements_of<double>("temperature") == howto(37, 52, 500));
  const Reference plate =
      reference("rows=9,columns=11,iterations=5000", "fields=zero,boundary=1,check_every=5000");
  for (const double value : plate.elements_of<double>("temperature")) {
    CHECK(std::abs(value - 1) < 1e-12);
  }
  const std::string size = "rows=9,columns=8,iterations=23";
  const Reference watched = reference(size, "check_every=9");
  CHECK(watched.elements_of<double>("residual").size() == 3);
  CHECK(watched.elements_of<std::int32_t>("sweeps")[0] == 23);
  CHECK(watched.elements_of<double>("temperature") ==
        reference(size, "").elements_of<double>("temperature"));
}

TEST_CASE("jacobi: a run ends with the first residual within the tolerance", "[jacobi]") {
  const Reference right =
      reference("rows=9,columns=11,iterations=5000", "fields=zero,check_every=10,tolerance=1e-6");
  const int sweeps = right.elements_of<std::int32_t>("sweeps")[0];
  const auto residuals = right.elements_of<double>("residual");

  REQUIRE((sweeps % 10 == 0 && sweeps > 10 && sweeps < 5000));
  const auto last = static_cast<std::size_t>(sweeps / 10 - 1);
  CHECK(residuals[last] <= 1e-6);
  CHECK(residuals[last - 1] > 1e-6);
  CHECK(std::isnan(residuals[last + 1]));
  CHECK(right.fault(right.answer()).empty());
}

// Borders of tiles and bands; more sweeps a pass than the grid has nodes; passes of all lengths.
TEST_CASE_IN_PLACES("jacobi: {} variants agree where tiles end and passes meet",
                    "[jacobi][kokkos]") {
  for (const char* size : {"rows=1,columns=1,iterations=15", "rows=2,columns=3,iterations=9",
                           "rows=5,columns=497,iterations=8", "rows=300,columns=5,iterations=8",
                           "rows=8,columns=510,iterations=3", "rows=9,columns=511,iterations=3",
                           "rows=64,columns=254,iterations=3", "rows=65,columns=255,iterations=3",
                           "rows=32,columns=240,iterations=15", "rows=33,columns=241,iterations=9",
                           "rows=131,columns=1537,iterations=15"}) {
    agree(place, size, "");
  }
}

TEST_CASE_IN_PLACES("jacobi: {} variants agree at every depth", "[jacobi][kokkos]") {
  for (const int depth : {1, 2, 4}) {
    agree(place, "rows=150,columns=1100,iterations=7",
          fmt::format("depth={},dx=0.3,dy=1.7,boundary=-2", depth));
  }
}

// The same residuals, sweeps and end in all variants: each answer holds them.
TEST_CASE_IN_PLACES("jacobi: {} variants converge in one sweep and in residuals",
                    "[jacobi][kokkos]") {
  const std::string size = "rows=20,columns=33,iterations=5000";
  agree(place, size, "check_every=37,tolerance=1e-3", {ElementType::f32});
  agree(place, size, "check_every=37,tolerance=1e-9", {ElementType::f64});
  // One row, and one column, alone: what leaves out the last misses all.
  for (const char* watched : {"rows=70,columns=600,iterations=23", "rows=1,columns=30,iterations=5",
                              "rows=30,columns=1,iterations=5"}) {
    agree(place, watched, "check_every=3");
  }
}

TEST_CASE("jacobi judge: a wrong node, residual or end, or a sweep too few, is found", "[jacobi]") {
  const Reference right = reference("rows=20,columns=30,iterations=7", "");
  CHECK(right.fault(right.answer()).empty());
  const double value = right.elements_of<double>("temperature")[17];
  CHECK(mentions(right.fault(right.answer_with("temperature", 17, value + 1e-12)),
                 "node [0][17] is "));
  const Reference watched = reference("rows=9,columns=8,iterations=40", "check_every=10");
  CHECK(watched.fault(watched.answer()).empty());
  const double last = watched.elements_of<double>("residual")[3];
  CHECK(
      mentions(watched.fault(watched.answer_with("residual", 3, last * 1.01)), "residual[3] is "));
  CHECK(mentions(watched.fault(watched.answer_with("sweeps", 0, 30)), "residual[3] is "));
  // Too many sweeps to follow a node back.
  const Reference longer = reference("rows=300,columns=400,iterations=2000", "");
  const Reference shorter = reference("rows=300,columns=400,iterations=1999", "");
  CHECK(longer.fault(longer.answer()).empty());
  CHECK(mentions(longer.fault(shorter.answer()), "by sine mode 1, 1"));
}

}  // namespace portcost::test::test_jacobi
