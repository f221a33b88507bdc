// SPDX-License-Identifier: Apache-2.0
// sum's rule, bound, agreement and shapes, on values worked out by hand.
#include "tests/matrix_checks.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::test::test_sum {

namespace {

using sum::Plan;
using sum::Truth;

Problem problem_of(std::int64_t n, ElementType type, std::string_view data) {
  return test::problem_of(algorithm_called("sum"), n, fmt::format("data={}", data), type);
}

template <class T>
Answer sum_of(T value) {
  return answer_of<T>({value}, 0, "sum");
}

Disagreement judge_value(const Problem& problem, double value) {
  const Answer answer =
      problem.type == ElementType::f32 ? sum_of(static_cast<float>(value)) : sum_of(value);
  return sum::compare(problem, answer, answer, shared_stream(Place::host));
}

// Every pack in exactly one tile, every tile in exactly one team, and room for what teams leave.
template <class T, Place place>
void plan_covers(std::uint64_t n, int processors) {
  const Plan p = sum::plan<T, place>(n, processors);
  constexpr sum::WideShape shape = sum::wide_shape(place);
  CAPTURE(n, processors, name(place), p.rows, p.tiles, p.full, p.teams);
  const std::uint64_t tile = std::uint64_t{p.rows} * shape.threads();
  CHECK((p.rows >= 1 && p.rows <= shape.loads));
  CHECK(p.packs == n / sum::pack_width<T, place>);
  CHECK(p.tiles * tile >= p.packs);
  CHECK((p.tiles == 1 || (p.tiles - 1) * tile < p.packs));
  CHECK(std::uint64_t{p.full} * shape.loads * shape.threads() <= p.packs);
  CHECK((p.teams >= 1 && p.teams <= std::max(1u, p.tiles)));
  CHECK(p.teams <= sum::partials_of(n));
  if (place == Place::device && p.tiles <= p.teams) {  // as with_tiling promises
    CHECK(p.packs + shape.threads() * shape.loads <= std::numeric_limits<std::uint32_t>::max());
  }
  std::uint64_t taken = 0;
  for (unsigned team = 0; team < p.teams; ++team) {
    const sum::Tiles tiles = sum::tiles_of<place>(p, team, p.teams);
    if (tiles.first < tiles.end) taken += (tiles.end - tiles.first - 1) / tiles.step + 1;
  }
  CHECK(taken == p.tiles);
}

}  // namespace

TEST_CASE("add_in_pairs adds each value once", "[sum]") {
  int one[] = {5};
  CHECK(sum::add_in_pairs(one) == 5);
  int powers[] = {1, 2, 4, 8, 16, 32, 64, 128};
  CHECK(sum::add_in_pairs(powers) == 255);
}

TEST_CASE("sum truth: known by hand", "[sum]") {
  const Truth ones = sum::truth_of(problem_of(200001, ElementType::f32, "ones"));
  CHECK(ones.sum == 200001);
  CHECK(ones.absolute == 200001);

  CHECK(sum::truth_of(problem_of(0, ElementType::f64, "uniform")).sum == 0);
  CHECK(sum::truth_of(problem_of(0, ElementType::i32, "uniform")).word == 0);
}

TEST_CASE("sum truth: uniform numbers lie between 0 and 1 and average a half", "[sum]") {
  const Truth truth = sum::truth_of(problem_of(1'000'000, ElementType::f64, "uniform"));

  CHECK(std::abs(truth.sum - truth.absolute) < 1e-6);
  CHECK(std::abs(truth.sum / 1e6 - 0.5) < 0.002);
}

TEST_CASE("sum truth: ill-conditioned numbers cancel to a small part", "[sum]") {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    const Truth truth = sum::truth_of(problem_of(100'000, type, "ill_conditioned"));
    CHECK(truth.absolute > 1e4 * std::abs(truth.sum));
    CHECK(truth.sum > 0);
  }
}

TEST_CASE("sum bound: none for i32 and for whole numbers while sums are exact", "[sum]") {
  const auto bound_of = [](std::int64_t n, ElementType type, std::string_view data) {
    return sum::bound(problem_of(n, type, data), sum::truth_of(problem_of(n, type, data)));
  };

  CHECK(bound_of(1000, ElementType::i32, "uniform") == 0);
  CHECK(bound_of(1000, ElementType::f32, "small_integers") == 0);
  CHECK(bound_of(std::int64_t{1} << 24, ElementType::f32, "ones") == 0);
  CHECK(bound_of((std::int64_t{1} << 24) + 1, ElementType::f32, "ones") > 0);
  CHECK(bound_of((std::int64_t{1} << 24) + 1, ElementType::f64, "ones") == 0);
}

TEST_CASE("sum bound: gamma of the chain times the absolute values", "[sum]") {
  const Problem problem = problem_of(1000, ElementType::f32, "uniform");
  Truth truth;
  truth.absolute = 500;

  const double d = 1002, u = 0x1p-24;
  CHECK(std::abs(sum::bound(problem, truth) - d * u / (1 - d * u) * 500) < 1e-12);
}

TEST_CASE("sum bound: chains stay far below what a float can bear, at every size", "[sum]") {
  CHECK(sum::longest_chain(100) == 100);
  std::uint64_t before = 0;
  for (int power = 0; power <= 40; ++power) {
    const std::uint64_t chain = sum::longest_chain(std::uint64_t{1} << power);
    CAPTURE(power, chain);
    CHECK(chain >= before);
    CHECK(static_cast<double>(chain) * 0x1p-24 < 0.25);
    before = chain;
  }
}

TEST_CASE("sum compare: a wrong answer disagrees, and says by how much it may err", "[sum]") {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    const Problem problem = problem_of(10'000, type, "uniform");
    const Truth truth = sum::truth_of(problem);
    const double allowed = sum::bound(problem, truth);
    CHECK(judge_value(problem, truth.sum).agrees());
    CHECK(judge_value(problem, truth.sum + allowed / 2).agrees());
    CHECK_FALSE(judge_value(problem, truth.sum + 1.5 * allowed).agrees());
    CHECK_FALSE(judge_value(problem, truth.sum - 1.5 * allowed).agrees());
    CHECK(mentions(judge_value(problem, 0).text, "allowed error"));
  }
}

TEST_CASE("sum compare: what is not a number never agrees, nor does infinity", "[sum]") {
  const Problem problem = problem_of(10'000, ElementType::f32, "uniform");

  CHECK_FALSE(judge_value(problem, std::numeric_limits<double>::quiet_NaN()).agrees());
  CHECK_FALSE(judge_value(problem, std::numeric_limits<double>::infinity()).agrees());
}

TEST_CASE("sum compare: where sums are exact, one off is wrong", "[sum]") {
  const Problem problem = problem_of(65536, ElementType::f32, "ones");

  CHECK(judge_value(problem, 65536).agrees());
  CHECK_FALSE(judge_value(problem, 65535).agrees());
  CHECK_FALSE(judge_value(problem, std::nextafter(65536.0f, 0.0f)).agrees());
}

TEST_CASE("sum compare: one good side does not save the other", "[sum]") {
  const auto agrees = [](const Answer& left, const Answer& right) {
    return sum::compare(problem_of(100, ElementType::f64, "ones"), left, right,
                        shared_stream(Place::host))
        .agrees();
  };

  CHECK_FALSE(agrees(sum_of(100.0), sum_of(99.0)));
  CHECK_FALSE(agrees(sum_of(99.0), sum_of(100.0)));
  CHECK_FALSE(agrees(sum_of(100.0f), sum_of(100.0)));
  CHECK_FALSE(agrees(answer_of<double>({100, 100}, 0, "sum"), sum_of(100.0)));
}

TEST_CASE("sum: unknown data is refused with what is known", "[sum]") {
  CHECK(mentions(message_of<UsageError>([] { problem_of(1, ElementType::f32, "2"); }),
                 "data=2 is unknown: did you mean"));
  for (std::size_t i = 0; i < sum::data_names.size(); ++i) {
    CHECK(sum::data_of(problem_of(1, ElementType::f32, sum::data_names[i])) ==
          static_cast<sum::Data>(i));
  }
}

TEST_CASE("sum shapes: a plan covers every pack once", "[sum]") {
  for (const int processors : {1, 2, 7, 132}) {
    for (std::uint64_t n = 1; n <= std::uint64_t{1} << 30; n = n * 3 + 1) {
      plan_covers<float, Place::device>(n, processors);
      plan_covers<double, Place::device>(n, processors);
      plan_covers<float, Place::host>(n, processors);
      plan_covers<double, Place::host>(n, processors);
    }
  }
}

}  // namespace portcost::test::test_sum
