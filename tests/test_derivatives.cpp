// SPDX-License-Identifier: Apache-2.0
// derivatives: the rule on polynomials, shapes and cost.
#include "tests/matrix_checks.hpp"
#include "variants/derivatives/problem.hpp"

namespace portcost::test::test_derivatives {

using namespace derivatives;

const Algorithm& row() { return algorithm_called("derivatives"); }

Problem problem_of(Numbers n, Kind kind, ElementType type) {
  return test::problem_of(
      row(), fmt::format("nx={},ny={},nz={},kind={}", n[0], n[1], n[2], static_cast<int>(kind)), "",
      type);
}

TEST_CASE("derivatives rule: weights, and polynomials to the eighth degree", "[derivatives]") {
  const double h = 0.5;
  const Weights<double> first = first_weights(h), second = second_weights(h);
  CHECK(first.at[0] == Approx(4.0 / 5 / h));
  CHECK(first.at[3] == Approx(-1.0 / 280 / h));
  CHECK(second.centre == Approx(-205.0 / 72 / h / h));
  CHECK(second.at[2] == Approx(8.0 / 315 / h / h));
  // (x - 1)^d at x = 2: the derivatives are d and d (d - 1).
  for (int d = 0; d <= 8; ++d) {
    double f[nine];
    for (int k = 0; k < nine; ++k) f[k] = std::pow(1 + (k - reach) * h, d);
    CAPTURE(d);
    CHECK(first_difference(first, f) == Approx(d).margin(1e-10));
    CHECK(second_difference(second, f) == Approx(d * (d - 1)).margin(1e-10));
  }
}

TEST_CASE("derivatives: wrapping, fewer planes where teams are few, cost", "[derivatives]") {
  CHECK(wrapped(-4, 9) == 5);
  CHECK(wrapped(8, 9) == 8);
  CHECK(wrapped(9, 9) == 0);
  CHECK(wrapped(12, 9) == 3);
  CHECK(wrapped_or_zero(40, 9) == 0);
  CHECK(stretch_of<Planes<2>>(512, 512, 512) == 64);
  CHECK(stretch_of<Planes<1>>(256, 256, 256) == 16);
  CHECK(stretch_of<March<2>>(1024, 512, 512) == 512);
  CHECK(stretch_of<March<2>>(512, 64, 512) == 64);
  const Field<float> large{nullptr, nullptr, {}, 65535, 65535, 4, along_x, {}};
  CHECK(large.at({65534, 65534, 3}) == std::uint64_t{65535} * 65535 * 4 - 1);
  const auto cost = [](const Problem& p) { return row().cost(p).at(0).amount; };
  const Problem all = problem_of({10, 20, 30}, all_three, ElementType::f64);
  CHECK((cost(all) == 4 * 6000 * 8 && row().footprint(all) == 10 * 6000 * 8));
  const Problem one = problem_of({10, 20, 30}, laplacian, ElementType::f32);
  CHECK((cost(one) == 2 * 6000 * 4 && row().footprint(one) == 4 * 6000 * 4));
  for (const Variant& variant : row().variants) {
    if (variant.step == "long_pencils") {
      CHECK(mentions(variant.unfit(problem_of({9, 9, 9}, along_x, ElementType::f32)), "kind=1"));
    }
  }
}

}  // namespace portcost::test::test_derivatives
