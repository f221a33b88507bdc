// SPDX-License-Identifier: Apache-2.0
// derivatives: the rule on polynomials, every variant on waves (error and order), sizes that are
// refused, truth on wrong answers.
#include <catch2/catch_approx.hpp>
#include <numbers>

#include "tests/launches.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/derivatives/problem.hpp"

namespace portcost::test::test_derivatives {
namespace {

using namespace derivatives;
using Catch::Approx;

const Algorithm& row() { return algorithm_called("derivatives"); }

Problem problem_of(Numbers n, Kind kind, ElementType type) {
  return test::problem_of(
      row(), fmt::format("nx={},ny={},nz={},kind={}", n[0], n[1], n[2], static_cast<int>(kind)), "",
      type);
}

constexpr double turn = 2 * std::numbers::pi;

// The greatest error of a variant on sin x + sin 2y + cos z, of one period along each axis.
double error(const Launch<Field<double>>& launch, std::array<int, 3> n, Kind kind, bool bent,
             const Stream& stream) {
  const auto nodes = static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) *
                     static_cast<std::size_t>(n[2]);
  const auto angles = [&](std::size_t i) {
    const auto j = static_cast<int>(i);
    return std::array{turn * (j % n[0]) / n[0], turn * (j / n[0] % n[1]) / n[1],
                      turn * (j / n[0] / n[1]) / n[2]};
  };
  std::vector<double> given, metric;
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto [x, y, z] = angles(i);
    given.push_back(std::sin(x) + std::sin(2 * y) + std::cos(z));
  }
  for (const int extent : n) {
    for (int i = 0; i < extent; ++i) metric.push_back(metric_at(i, extent));
  }
  Buffer<double> f(nodes, stream.place()), m(metric.size(), stream.place()),
      out((kind == all_three ? 3 : 1) * nodes, stream.place());
  f.upload(given, stream);
  m.upload(metric, stream);
  out.poison(stream);
  Field<double> field{f.data(), out.data(), bent ? m.data() : nullptr, n[0], n[1], n[2], kind, {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double h = 1.0 / n[axis];
    field.w[axis] = kind == laplacian ? second_weights(h) : first_weights(h);
  }
  launch(field, stream);
  const std::vector<double> found = out.download(stream);
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto u = angles(i % nodes);
    const auto [x, y, z] = u;
    const std::array of{turn * std::cos(x), 2 * turn * std::cos(2 * y), -turn * std::sin(z), 0.0,
                        -turn * turn * (std::sin(x) + 4 * std::sin(2 * y) + std::cos(z))};
    const std::size_t what = kind == all_three ? i / nodes : static_cast<std::size_t>(kind);
    const double stretch = bent ? 1 + std::cos(u[what]) / 2 : 1;  // dx/du
    const double off = std::abs(found[i] - of[what] / stretch);
    if (!(off <= worst)) worst = off;  // NaN is the worst
  }
  return worst;
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

TEST_CASE("derivatives shapes: wrapping, and fewer planes where teams are few", "[derivatives]") {
  CHECK(wrapped(-4, 9) == 5);
  CHECK(wrapped(8, 9) == 8);
  CHECK(wrapped(12, 9) == 3);
  CHECK(derivatives::near(40, 9) == 3);
  CHECK(stretch_of(Planes::box, 512, 512, 512) == 128);
  CHECK(stretch_of(Planes::box, 256, 256, 256) == 16);
  CHECK(stretch_of(march_box, 512, 512, 512) == 128);
  const Field<float> large{nullptr, nullptr, nullptr, 65535, 65535, 4, along_x, {}};
  CHECK(large.at({65534, 65534, 3}) == std::uint64_t{65535} * 65535 * 4 - 1);
}

TEST_CASE("derivatives: sizes that are refused or unfit, cost and memory", "[derivatives]") {
  CHECK(mentions(refusal(row(), "nx=8"), "8"));
  CHECK(mentions(refusal(row(), "nz=65536"), "65536"));
  CHECK(mentions(refusal(row(), "kind=6"), "6"));
  CHECK(mentions(refusal(row(), "nx=65535,ny=65535,nz=9"), "nodes; a launch takes"));
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

TEST_CASE("derivatives truth: a wrong node of each kind is found", "[derivatives]") {
  for (int kind = 0; kind < kinds; ++kind) {
    CAPTURE(kind);
    const Reference reference(row(),
                              problem_of({11, 13, 10}, static_cast<Kind>(kind), ElementType::f64));
    CHECK(reference.fault(reference.answer()) == "");
    const std::size_t at = (4 * 13 + 5) * 11 + 6;
    CHECK(mentions(reference.fault(reference.answer_with<double>("out", at, 1e6)),
                   "at node [4][5][6] is 1000000"));
  }
}

// Of nodes n and 2 n the errors have the ratio 2^8, below which neither rounding nor a wrong
// weight may push it.
TEST_CASE_IN_PLACES("derivatives: {} variants are of eighth order", "[derivatives][kokkos]") {
  const Stream& stream = shared_stream(place);
  int seen = 0;
  for (const Variant& variant : row().variants) {
    const auto launch = launch_of<Field<double>>(variant);
    if (variant.place != place || !launch) continue;
    for (const Kind kind : {along_x, along_y, along_z, all_three, laplacian}) {
      if (!variant.unfit(problem_of({9, 9, 9}, kind, ElementType::f64)).empty()) continue;
      CAPTURE(variant_name(row(), variant), static_cast<int>(kind));
      const double coarse = error(launch, {18, 20, 17}, kind, false, stream);
      const double fine = error(launch, {36, 40, 34}, kind, false, stream);
      CHECK(std::log2(coarse / fine) == Approx(8).margin(0.35));
      CHECK(fine < (kind == laplacian ? 1e-2 : 1e-3));
      if (kind == all_three) CHECK(error(launch, {36, 40, 34}, kind, true, stream) < 1e-2);
      ++seen;
    }
  }
  const bool no_kokkos = place == Place::host && PORTCOST_HAS_CUDA;  // it is where the GPU is
  CHECK(seen >= (no_kokkos ? 10 : 20));
}

TEST_CASE_IN_PLACES("derivatives: {} variants agree around tiles", "[derivatives][kokkos]",
                    "[slow]") {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (int kind = 0; kind < kinds; ++kind) {
      for (const Numbers& n : {Numbers{9, 9, 9}, Numbers{64, 64, 64}, Numbers{65, 33, 31},
                               Numbers{31, 67, 129}, Numbers{68, 9, 72}, Numbers{128, 35, 17}}) {
        agree(row(), place, problem_of(n, static_cast<Kind>(kind), type));
      }
    }
  }
}

}  // namespace
}  // namespace portcost::test::test_derivatives
