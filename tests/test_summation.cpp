// SPDX-License-Identifier: Apache-2.0
// summation's accumulators and bounds by hand; its variants on numbers that lose what plain sums
// drop; what a fused multiply-add changes.
#include "src/contract/truth.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/summation/problem.hpp"

namespace portcost::test::test_summation {

using namespace summation;

const Algorithm& row_of_table() { return algorithm_called("summation"); }
Problem of(std::int64_t n, ElementType type, std::string_view data = "uniform") {
  return test::problem_of(row_of_table(), n, fmt::format("data={}", data), type);
}

TEST_CASE("summation rule: an addition and its error are exact together", "[summation]") {
  const auto check = []<class T>(T a, T b, T sum, T error) {
    T found, lost;
    two_sum(a, b, found, lost);
    CHECK(found == sum);
    CHECK(lost == error);
    two_sum(b, a, found, lost);
    CHECK(lost == error);
  };
  check(1.f, 0x1p-30f, 1.f, 0x1p-30f);
  check(0x1p24f, 3.f, 0x1p24f + 4, -1.f);
  check(1., -0x1p-80, 1., -0x1p-80);
  check(0.5f, 0.25f, 0.75f, 0.f);
}

TEST_CASE("summation rule: compensation keeps what plain additions lose", "[summation]") {
  Plain<float> plain;
  Compensated<float> kahan;
  Wide<float> wide;
  for (int i = 0; i < 1 << 16; ++i) {
    const float x = i == 0 ? 1.f : 0x1p-25f;
    plain.add(x);
    kahan.add(x);
    wide.add(x);
  }
  const double right = 1 + 65535 * 0x1p-25;
  float out[2];
  plain.store(out);
  CHECK(out[0] == 1.f);
  for (const bool of_kahan : {true, false}) {
    of_kahan ? kahan.store(out) : wide.store(out);
    CAPTURE(of_kahan);
    CHECK(std::abs(out[0] - right) <= 0x1p-24);
    CHECK(std::abs(double{out[0]} + double{out[1]} - right) <= 0x1p-40);
  }

  Compensated<float> other;  // two halves, joined
  for (int i = 0; i < 1 << 16; ++i) other.add(i == 0 ? 1.f : 0x1p-25f);
  other.join(kahan);
  other.store(out);
  CHECK(double{out[0]} + double{out[1]} == 2 * right);
}

TEST_CASE("summation rule: trees and rows join every accumulator once", "[summation]") {
  const auto check = []<class Step>(Step) {
    Plain<double> of[16];
    for (unsigned i = 0; i < 16; ++i) of[i].add(1 << i);
    Step::template join<16>(of);
    CHECK(of[0].sum == 0xffff);
  };
  check(Chunks());
  check(BlockTree());
  double pairs[pair_rows] = {1, 2, 4, 8, 16, 32, 64, 128};
  CHECK(add_pairs(pairs) == 255);
}

TEMPLATE_TEST_CASE("summation shapes: teams cover the rows", "[summation]", float, double) {
  using T = TestType;
  for (const std::uint64_t n :
       {0ull, 1ull, 8192ull, 8193ull, 9'000'001ull, (1ull << 28) + 1, 1ull << 36}) {
    const Plan p = summation::plan_of<T>(n);
    CAPTURE(sizeof(T), n, p.rows, p.teams);
    CHECK((p.teams >= 1 && p.teams <= most_teams));
    CHECK(std::uint64_t{p.rows} * p.teams * row<T> >= n);
    CHECK((p.teams == 1 || std::uint64_t{p.rows} * (p.teams - 1) * row<T> < n));
    CHECK(bytes_of_partials<T>(n) >= p.teams * 2 * sizeof(T));
    CHECK(bytes_of_partials<T>(n) >= teams_of_pairs<T>(n) * sizeof(T));
    CHECK(bytes_of_lanes<T>(n) >= teams_of_pairs<T>(n) * row<T> * sizeof(T));
    CHECK(bytes_of_lanes<T>(n) >= p.teams * row<T> * 2 * sizeof(T));
  }
  CHECK(summation::plan_of<T>(8 * row<T>).teams == 1);
  CHECK(summation::plan_of<T>(8 * row<T> + 1).teams == 2);
}

TEST_CASE("summation bounds: as the methods promise", "[summation]") {
  constexpr double u = 0x1p-24;
  constexpr std::uint64_t n = 1 << 20;
  const auto bound = [](std::string_view step) { return bounds(step, ElementType::f32, n, 1).sum; };
  const auto near = [](double found, double right) { return std::abs(found / right - 1) < 0.1; };
  CHECK(near(bound("serial"), n * u / (1 - n * u)));
  CHECK(near(bound("chunks"), (8 + 4 + 256 + 128) * u));
  CHECK(near(bound("block_tree"), (8 + 10 + 7) * u));
  CHECK(near(bound("pairwise"), 2 * (3 + 10) * u));
  CHECK(near(bound("kahan"), 2 * u));
  CHECK(near(bound("wide_accumulator"), u));
  CHECK(bounds("wide_accumulator", ElementType::f32, n, 1).pair < 1e-6 * u);
  CHECK(near(bounds("kahan", ElementType::f64, n, 1).pair, 0x1p-53));
}

TEST_CASE("summation numbers: ones and what they swallow; pairs that cancel", "[summation]") {
  const auto check = []<class T>(T, T u) {
    constexpr std::uint64_t n = 100'000;
    std::uint64_t ones = 0, cancelled = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      const T x = number<T>(Data::large_and_tiny, 3, i, n);
      ones += x == 1;
      if (x != 1 && (x >= u || T(1) + x != 1)) FAIL_CHECK("number " << i);
      const T ill = number<T>(Data::ill_conditioned, 3, i, n);
      cancelled += ill == -number<T>(Data::ill_conditioned, 3, n - 1 - i, n);
      const T own = number<T>(Data::uniform, 3, i, n);
      if (own < 0 || own >= 1) FAIL_CHECK("number " << i);
    }
    CHECK(ones == 13 * 1024);
    CHECK(cancelled == n / 4 * 3);
  };
  check(0.f, 0x1p-24f);
  check(0., 0x1p-53);
}

TEST_CASE("summation judge: prints errors, and finds what a bound forbids", "[summation]") {
  const ElementType type = GENERATE(ElementType::f32, ElementType::f64);
  const std::string step = GENERATE("chunks", "block_tree", "pairwise", "kahan");
  const Reference reference(row_of_table(), of(200'001, type), step);
  const Judgement right = reference.judgement(reference.answer());
  CAPTURE(step, name(type), right.truth);
  CHECK(right.fault == "");
  CHECK(mentions(right.truth, "u sum|x| of the sum"));
  typed(reference.problem, [&]<class T>(T) {
    const T sum = reference.elements_of<T>("sum")[0];
    for (const T wrong : {sum * (1 + T(1000) * std::numeric_limits<T>::epsilon()), T(NAN)}) {
      CHECK(mentions(reference.fault(reference.answer_with("sum", 0, wrong)), "is right"));
    }
    CHECK(reference.fault(reference.answer_with("sum", 1, T(100))) != "");
    return 0;
  });
}

// Ones swallow numbers below u. kahan's pair is as good as its bound, which the sum of block_tree
// is not: the bounds tell the methods apart.
TEST_CASE("summation: compensated sums keep what ones swallow", "[summation]") {
  const Problem problem = of(1 << 20, ElementType::f32, "large_and_tiny");
  const Answer block_tree = Reference(row_of_table(), problem, "block_tree").answer();
  const Reference kahan(row_of_table(), problem, "kahan");
  CHECK(kahan.fault(kahan.answer()) == "");
  CHECK(kahan.fault(block_tree) != "");
  CHECK(Reference(row_of_table(), problem, "block_tree").fault(block_tree) == "");
}

// IEEE 754: a fused multiply-add rounds once, so that x x - fl(x x) is the product's error, which a
// product and a difference lose; and a sum of products depends on which of them are fused.
TEST_CASE("summation: sums of products with and without a fused multiply-add", "[summation]") {
  const float x = 1 + 0x1p-12f;
  volatile float product = x * x;  // volatile: the compiler must not fuse it
  CHECK(product == 1 + 0x1p-11f);
  CHECK(std::fma(x, x, -product) == 0x1p-24f);

  // 2^-24 + 2^-30 + 2^-42, of which each order keeps another part.
  const std::array a{x, -1.f, x}, b{x, 1 + 0x1p-11f, 0x1p-30f};
  const auto dot = [&](bool fused, std::array<std::size_t, 3> order) {
    float sum = 0;
    for (const std::size_t i : order) {
      volatile float one = a[i] * b[i];
      sum = fused ? std::fma(a[i], b[i], sum) : sum + one;
    }
    return sum;
  };
  CHECK(dot(false, {0, 1, 2}) == 0x1p-30f * x);
  CHECK(dot(true, {0, 1, 2}) == 0x1p-30f * x);
  CHECK(dot(false, {2, 1, 0}) == 0);
  CHECK(dot(true, {2, 1, 0}) == 0x1p-24f);
}

}  // namespace portcost::test::test_summation
