// SPDX-License-Identifier: Apache-2.0
// gauss_batched: what its truth holds an answer against, and what two answers may differ by.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/matrix_checks.hpp"

namespace portcost::test::test_gauss_batched_truth {

namespace {

const Algorithm& row() { return algorithm_called("gauss_batched"); }

// Of 12 systems of 30 unknowns, unless a size is given.
Reference reference(const char* parameters, const std::string& size = "n=30,count=12") {
  return {row(), problem_of(row(), size, parameters, ElementType::f32)};
}

}  // namespace

TEST_CASE("gauss_batched: a wrong answer is judged wrong", "[gauss_batched][kokkos]") {
  const auto fault_with = [](const char* parameters, const char* array, std::size_t at,
                             auto value) {
    const Reference right = reference(parameters);
    return right.fault(right.answer_with(array, at, value));
  };

  CHECK(fault_with("", "none", 0, 0).empty());
  CHECK_FALSE(fault_with("", "lu", 30 * 7 + 9, 1e3f).empty());
  CHECK_FALSE(fault_with("matrix=random", "lu", 900 * 11 + 30 * 20 + 9, 0.0f).empty());
  CHECK_FALSE(fault_with("", "lu", 900 * 12 - 1, 7.0f).empty());  // the last element of all
  CHECK_FALSE(fault_with("", "lu", 5, std::nanf("")).empty());
  CHECK(mentions(fault_with("matrix=integer", "lu", 900 * 3, 3.0f), "lu[3][0][0] is 3"));
  CHECK(mentions(fault_with("", "bad_pivot", 4, 2), "bad_pivot[4] is 2"));
  CHECK(mentions(fault_with("matrix=random", "bad_pivot", 4, 2), "bad_pivot[4] is 2"));
  CHECK(mentions(fault_with("matrix=random", "bad_pivot", 4, 30), "bad_pivot[4] is 30"));
}

TEST_CASE(
    "gauss_batched: products of some thousand systems are looked at, and the bad_pivot of all",
    "[gauss_batched][kokkos]") {
  const Reference right = reference("", "n=64,count=2000");
  Answer answer = right.answer();
  CHECK(mentions(right.judgement(answer).truth, " of 2000 systems"));
  CHECK_FALSE(mentions(right.judgement(answer).truth, "2000 of 2000"));
  int unseen = 0;
  for (std::size_t system = 0; system < 2000; system += 40) {
    answer = with_element(std::move(answer), "bad_pivot", system, 1);
    const std::string expected = "bad_pivot[" + std::to_string(system) + "] is 1";
    unseen += !mentions(right.fault(answer), expected);
    answer = with_element(std::move(answer), "bad_pivot", system, -1);
  }
  CHECK(unseen == 0);
}

TEST_CASE("gauss_batched: at the default size the products of all systems are looked at",
          "[gauss_batched][kokkos]") {
  const Reference right = reference("", "");
  CHECK(mentions(right.judgement(right.answer()).truth, "100000 of 100000 systems"));
}

TEST_CASE("gauss_batched: answers that differ by more than rounding disagree",
          "[gauss_batched][kokkos]") {
  const Reference right = reference("matrix=random");
  const std::size_t at = 900 * 7 + 30 * 20 + 10;
  const auto text_with = [&](const char* array, std::size_t index, auto value) {
    return right.compared(right.answer_with(array, index, value), right.answer());
  };
  const float element = right.elements_of<float>("lu")[at];

  CHECK(text_with("lu", at, element).empty());
  CHECK(text_with("lu", at, element * (1 + 0x1p-23f)).empty());
  CHECK(mentions(text_with("lu", at, element * 1.01f), "row 20 of L U of system 7"));
}

TEST_CASE("gauss_batched: only a small pivot of a random system may be refused by one of two",
          "[gauss_batched][kokkos]") {
  // Column 3 of system 9; where it is refused by one the rest of the system means nothing.
  constexpr std::size_t system = 9, pivot = system * 900 + 3 * 31;
  const auto text_with = [&](const char* parameters, float other, bool left_refuses) {
    const Reference right = reference(parameters);
    const Answer refusing =
        with_element(right.answer_with("bad_pivot", system, 3), "lu", system * 900 + 899, 1e3f);
    const Answer going_on = right.answer_with("lu", pivot, other);
    return left_refuses ? right.compared(refusing, going_on) : right.compared(going_on, refusing);
  };

  for (const bool left : {true, false}) {
    CAPTURE(left);
    CHECK(text_with("matrix=random", -0x1p-9f, left).empty());
    CHECK(mentions(text_with("matrix=random", 0x1p-8f, left), "bad_pivot[9]"));
    CHECK(mentions(text_with("matrix=random", std::nanf(""), left), "bad_pivot[9]"));
    CHECK(mentions(text_with("", 0x1p-9f, left), "bad_pivot[9]"));
    CHECK(mentions(text_with("matrix=integer", 0x1p-9f, left), "bad_pivot[9]"));
  }
}

TEST_CASE("gauss_batched: a system that only one of two refuses hides no other's fault",
          "[gauss_batched][kokkos]") {
  const Reference right = reference("matrix=random");
  const Answer refusing = right.answer_with("bad_pivot", 4, 0);
  const Answer other = with_element(right.answer_with("lu", 4 * 900, 0x1p-9f), "lu", 5 * 900, 1e3f);
  CHECK(mentions(right.compared(refusing, other), "row 0 of L U of system 5"));
}

}  // namespace portcost::test::test_gauss_batched_truth
