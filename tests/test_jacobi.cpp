// SPDX-License-Identifier: Apache-2.0
// jacobi: rule and layout by hand, the HOWTO's program, convergence, the judge.
#include "tests/matrix_checks.hpp"
#include "variants/jacobi/problem.hpp"

namespace portcost::test::test_jacobi {

using jacobi::Coefficients;

const Algorithm& row() { return algorithm_called("jacobi"); }

Reference reference(const std::string& size, const std::string& parameters) {
  return {row(), problem_of(row(), size, parameters, ElementType::f64, 3)};
}

TEST_CASE("jacobi rule: a node's new value and residual, and coefficients", "[jacobi]") {
  const Coefficients<double> c = jacobi::coefficients(0.5, 0.25);
  CHECK((c.x == 4 && c.y == 16 && c.beta == 0.025));

  // ((1 + 2) 4 + (3 + 4) 16 - 44) / 40 = 2
  CHECK(jacobi::relaxed(c, 1.0, 2.0, 3.0, 4.0, jacobi::source(c, 44.0)) == 2.0);
  // (1 - 10 + 2) 4 + (3 - 10 + 4) 16 - 44 = -28 - 48 - 44
  CHECK(jacobi::residual(c, 5.0, 1.0, 2.0, 3.0, 4.0, 44.0) == 120.0);
  CHECK(jacobi::relaxed(c, 0.0, 0.0, 8.0, 0.0, jacobi::source(c, 0.0)) == 3.2);
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

TEST_CASE("jacobi judge: of too many sweeps to follow a node back, one too few is found",
          "[jacobi]") {
  const Reference longer = reference("rows=300,columns=400,iterations=2000", "");
  const Reference shorter = reference("rows=300,columns=400,iterations=1999", "");
  CHECK(longer.fault(longer.answer()).empty());
  CHECK(mentions(longer.fault(shorter.answer()), "by sine mode 1, 1"));
}

}  // namespace portcost::test::test_jacobi
