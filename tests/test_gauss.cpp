// SPDX-License-Identifier: Apache-2.0
// gauss: rule and shapes by hand; every variant at borders of tiles, on all inputs, on bad pivots.
#include "tests/gauss_equations.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/gauss/problem.hpp"

namespace portcost::test::test_gauss {

using namespace gauss;

const Algorithm& row() { return algorithm_called("gauss"); }

Problem problem_of(std::int64_t n, const std::string& parameters, ElementType type) {
  return test::problem_of(row(), n, parameters, type);
}

// On a GPU all but libraries and tensor cores take products in the reference's order.
void agree(Place place, std::int64_t n, const std::string& parameters, ElementType type) {
  test::agree(row(), place, problem_of(n, parameters, type), [&](const Variant& variant) {
    if (place == Place::host) return variant.step == "naive";
    const bool tensor = variant.step == "tensor_cores" ||
                        (variant.step == "whole_tile" && type == ElementType::f64);
    return variant.model != Model::library && !tensor;
  });
}

// What every variant of a place makes of a user's equations: checked by `check`.
template <class T, class Check>
void solve(Place place, const std::vector<T>& rows, std::int64_t n, int r1, const Check& check) {
  const auto instance = instance_of<T>(rows, n, r1, shared_stream(place));
  const Problem problem = problem_of(n, "matrix=random", element_type_of<T>);
  CAPTURE(n, r1);
  for_answers(row(), place, problem, *instance,
              [&](const Variant&, const Answer& answer) { check(answer); });
}

// All name `column` as that of a refused pivot, or none: -1.
template <class T>
void name_column(Place place, const std::vector<T>& rows, std::int64_t n, int r1,
                 std::int64_t column) {
  solve<T>(place, rows, n, r1, [&](const Answer& answer) {
    CHECK(elements<int>(answer.at("bad_pivot")) == std::vector<int>{static_cast<int>(column)});
  });
}

template <class T>
void refuse_pivots(Place place) {
  // A pivot that is zero, or less than a rounding of the greatest element, is named by its column.
  for (const std::int64_t n : {1, 3, 40, 130, 200}) {
    for (const std::int64_t column : {std::int64_t{0}, n / 2, n - 1}) {
      CAPTURE(column);
      name_column<T>(place, with_pivot<T>(n, column, 0), n, 16, column);
      name_column<T>(place, with_pivot<T>(n, column, T(0.5)), n, 16, -1);
    }
  }
  // One that has overflowed; where only the right side overflows, no pivot is refused.
  for (const std::int64_t n : {2, 40, 128, 200}) {
    for (const std::int64_t column : {std::int64_t{1}, n / 2, n - 1}) {
      for (const bool on_the_right : {false, true}) {
        CAPTURE(column, on_the_right);
        name_column<T>(place, with_overflow<T>(n, column, on_the_right ? n : column), n, 64,
                       on_the_right ? -1 : column);
      }
    }
  }
  // Of two such pivots the first; and one that only rounding could tell from zero.
  constexpr T u = std::numeric_limits<T>::epsilon() / 2;
  constexpr std::int64_t n = 140;
  const auto named = [&](T seventh, T last, int wanted) {
    std::vector<T> rows = diagonal<T>(n, 4, 6, seventh);
    rows[135 * (n + 2)] = last;
    name_column<T>(place, rows, n, 64, wanted);
  };
  named(0, 0, 6);
  named(1, 4 * u, 135);
  named(1, -8 * u, -1);
  named(4 * u, 1, 6);
  constexpr T great = std::numeric_limits<T>::max() / 2;
  solve<T>(place, {great, 0, 0, great / 2, great, 0}, 2, 64, [&](const Answer& answer) {
    CHECK(std::fabs(elements<T>(answer.at("lu"))[3] - T(0.5)) < T(1e-5));
  });
}

TEST_CASE("gauss rule: an element less a multiple, rounded once; bad pivots", "[gauss]") {
  CHECK(multiplier(6.0, 4.0) == 1.5);
  CHECK(eliminate(1.0, 1.5, 4.0) == -5);
  // 1 - (1 + u)(1 - u) is u^2, which two roundings make 0.
  const double u = 0x1p-52;
  CHECK(eliminate(1.0, 1 + u, 1 - u) == u * u);
  CHECK(is_bad_pivot(0.0f, 0.0f));
  CHECK(is_bad_pivot(-1e-3f, 1e-3f));
  CHECK_FALSE(is_bad_pivot(-2e-3f, 1e-3f));
  CHECK(is_bad_pivot(std::nanf(""), 1e-3f));
  CHECK(is_bad_pivot(-std::numeric_limits<float>::infinity(), 1e-3f));
  CHECK_FALSE(is_bad_pivot(std::numeric_limits<float>::max(), 1e-3f));
}

TEST_CASE("gauss shapes: rows past 2^32 elements are 64-bit", "[gauss]") {
  const System<float> s{nullptr, 131'072, 131'200, nullptr, 0, 64};
  CHECK(s.offset(131'071) == std::uint64_t{131'071} * 131'200);
}

TEST_CASE("gauss inputs: integers are products of one sign, diagonals outweigh", "[gauss]") {
  const Input integers = input_of(problem_of(20, "matrix=integer", ElementType::f32));
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t j = 0; j <= 20; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k <= std::min(i, j); ++k) {
        sum += static_cast<double>((k == i ? 1 : integers.element_of_l(i, k)) *
                                   integers.element_of_u(k, j));
      }
      CHECK(integers.at(i, j) == sum);
    }
  }
  // Of one sign, so that an element which has missed products, of any columns, is another one.
  const Input signs = input_of(problem_of(40, "matrix=integer", ElementType::f32));
  int wrong = 0;
  for (std::int64_t at = 0; at < 40 * 40; ++at) {
    const std::int64_t i = at / 40, j = at % 40 + 1, first = signs.element_of_l(i, 0);
    for (std::int64_t k = 0; k < std::min(i, j); ++k) {
      wrong +=
          signs.element_of_l(i, k) * signs.element_of_u(k, j) != first * signs.element_of_u(0, j);
    }
  }
  CHECK(wrong == 0);
  const Input input = input_of(problem_of(40, "", ElementType::f64));
  for (std::int64_t i = 0; i < 40; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < 40; ++j) sum += i == j ? 0 : std::abs(input.at(i, j));
    CHECK(sum < std::abs(input.at(i, i)));
  }
}

TEST_CASE("gauss: r1 that goes into no tile is refused", "[gauss]") {
  const auto refusal = [](const std::string& parameters) {
    return message_of<UsageError>(
        [&] { row().validate(problem_of(64, parameters, ElementType::f32)); });
  };

  CHECK(mentions(refusal("r1=100"), "r1=100 must be a divisor of 64"));
  CHECK(mentions(refusal("r1=0"), "r1=0 "));
  CHECK(mentions(refusal("r1=48"), "r1=48 "));
  CHECK_NOTHROW(row().validate(problem_of(64, "r1=384", ElementType::f32)));
  CHECK_NOTHROW(row().validate(problem_of(64, "r1=1", ElementType::f32)));
}

TEST_CASE("gauss: a wrong answer is judged wrong", "[gauss][kokkos]") {
  const auto fault_with = [](const char* parameters, const char* array, std::size_t at,
                             auto value) {
    const Reference right(row(), problem_of(60, parameters, ElementType::f32));
    return right.fault(right.answer_with(array, at, value));
  };

  CHECK(fault_with("", "none", 0, 0).empty());
  CHECK_FALSE(fault_with("", "lu", 61 * 7 + 9, 1e3f).empty());
  CHECK_FALSE(fault_with("matrix=random", "lu", 61 * 30 + 9, 0.0f).empty());
  CHECK_FALSE(fault_with("", "lu", 61 * 59 + 60, 7.0f).empty());  // the last right side
  CHECK_FALSE(fault_with("", "lu", 5, std::nanf("")).empty());
  // Seen in the element alone: in its row's sum it is less than what rounding may do.
  const double given = input_of(problem_of(60, "", ElementType::f32)).at(0, 30);
  CHECK(mentions(fault_with("", "lu", 30, static_cast<float>(given + 1e-4)), "(L U)[0][30] is"));
  CHECK(mentions(fault_with("matrix=integer", "lu", 0, 3.0f), "lu[0][0] is 3"));
  CHECK(mentions(fault_with("", "bad_pivot", 0, 4), "column 4"));
}

TEST_CASE("gauss: of integers every element is judged", "[gauss][kokkos]") {
  // 300 rows are more than are drawn of other matrices.
  for (const auto& [n, apart] : {std::pair(40, 1), {300, 97}}) {
    const Reference reference(row(), problem_of(n, "matrix=integer", ElementType::f32));
    Answer answer = reference.answer();
    const std::vector<float> right = elements<float>(answer.at("lu"));
    CHECK(reference.fault(answer) == "");
    int unseen = 0;
    for (std::size_t at = 0; at < right.size(); at += static_cast<std::size_t>(apart)) {
      answer = with_element(std::move(answer), "lu", at, right[at] + 1);
      const std::size_t columns = static_cast<std::size_t>(n) + 1;
      unseen += !mentions(reference.fault(answer),
                          fmt::format("lu[{}][{}] is ", at / columns, at % columns));
      answer = with_element(std::move(answer), "lu", at, right[at]);
    }
    CHECK(unseen == 0);
  }
}

// One equation, so that L U is the answer itself: 1 x = b, whose coefficient is wrong by 2^-23.
TEST_CASE("gauss: the judgement says how far L U is from the matrix", "[gauss][kokkos]") {
  const Reference right(row(), problem_of(1, "", ElementType::f32));
  const auto truth_with = [&](float factor) {
    const float wrong = right.elements_of<float>("lu")[0] * factor;
    return right.judgement(right.answer_with("lu", 0, wrong)).truth;
  };
  CHECK(mentions(truth_with(1), "largest error 0 of that, norm-wise backward error 0"));
  // Of 5 roundings of 2^-24 and 2^-8 more it is 2 / 5 / (1 + 2^-8).
  const double given = std::abs(input_of(right.problem).at(0, 1));
  CHECK(mentions(truth_with(1 + 0x1p-23f),
                 fmt::format("largest error 0.398 of that, norm-wise backward error {:.3g}",
                             0x1p-23 / (1 + given))));
}

TEST_CASE("gauss: answers that differ by more than rounding disagree", "[gauss][kokkos]") {
  const Reference right(row(), problem_of(60, "matrix=random", ElementType::f32));
  constexpr std::size_t at = 61 * 40 + 20;
  const float element = right.elements_of<float>("lu")[at];
  const auto text_with = [&](float factor) {
    return right.compared(right.answer_with("lu", at, element * factor), right.answer());
  };

  CHECK(text_with(1).empty());
  CHECK(text_with(1 + 0x1p-23f).empty());
  CHECK(mentions(text_with(1.01f), "row 40"));
}

TEST_CASE("gauss: variants agree at the borders of tiles, on all inputs", "[gauss][kokkos][gpu]") {
  at_each_place([](Place place) {
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
      for (const std::int64_t n : {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200}) {
        agree(place, n, n % 2 == 0 ? "matrix=integer,r1=8" : "matrix=integer", type);
        if (n % 3 == 0) agree(place, n, "r1=128", type);
      }
      agree(place, 65, "matrix=random,r1=1", type);
      agree(place, 129, "matrix=hilbert,r1=32", type);
      agree(place, 200, "matrix=random", type);
    }
  });
}

// More than two tiles of every step, and rounds of several tiles whose last is shorter.
TEST_CASE_IN_PLACES("gauss: {} variants agree on several tiles, in rounds of several",
                    "[gauss][kokkos]", "[slow]") {
  agree(place, 390, "matrix=integer,r1=128", ElementType::f32);
  agree(place, 515, "r1=256", ElementType::f64);
  if (place == Place::host) return;
  // The last tiles are closed in another way.
  agree(place, 2177, "matrix=dominant", ElementType::f32);
  agree(place, 3137, "matrix=dominant", ElementType::f32);
  agree(place, 2053, "matrix=dominant", ElementType::f64);
}

TEST_CASE_IN_PLACES("gauss: {} variants name the column of a pivot that is refused",
                    "[gauss][kokkos]", "[slow]") {
  refuse_pivots<float>(place);
  refuse_pivots<double>(place);
}

#if PORTCOST_HAS_CUDA
// Steps whose launches overlap, by the truth alone: the reference would take minutes. In smaller
// problems a launch that should wait finds the rest of a round over.
bool overlaps(const Variant& variant) {
  return variant.step != "naive" && variant.step != "block_r1" && variant.step != "panel";
}
template <class Taken>
void hold(std::int64_t n, const char* parameters, ElementType type, const Taken& taken) {
  const Problem problem = problem_of(n, parameters, type);
  const auto instance = row().make(problem, shared_stream(Place::device));
  int seen = 0;
  for (const Variant& variant : row().variants) {
    if (variant.place != Place::device || !variant.unfit(problem).empty() || !taken(variant)) {
      continue;
    }
    CAPTURE(variant_name(row(), variant), n, parameters);
    const Answer answer = run_afresh(*instance, *variant.make(problem, *instance));
    CHECK(row().judge(problem, variant.step, answer, *instance).fault == "");
    ++seen;
  }
  CHECK(seen >= 10);
}

// In so large a matrix the bound of LU lets a tile pass that misses products. Integers must be
// right, all of them. (A library may multiply by inverses of tiles, which are not exact.)
TEST_CASE("gauss: device variants are exact on integers in long rounds", "[gauss][kokkos][gpu]") {
  need_device();
  const auto taken = [](const Variant& variant) {
    return overlaps(variant) && variant.model != Model::library;
  };
  hold(8192, "matrix=integer", ElementType::f32, taken);
  hold(6000, "matrix=integer", ElementType::f64, taken);
}

TEST_CASE("gauss: device variants hold the bound of LU in long rounds", "[gauss][kokkos][gpu]") {
  need_device();
  hold(8192, "matrix=dominant", ElementType::f32, overlaps);
  hold(6000, "matrix=dominant", ElementType::f64, overlaps);
}
#endif

}  // namespace portcost::test::test_gauss
