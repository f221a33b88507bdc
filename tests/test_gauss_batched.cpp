// SPDX-License-Identifier: Apache-2.0
// gauss_batched: rule and shapes by hand; every variant at all sizes, on all inputs and on pivots
// that some systems refuse; its truth, and what two answers may differ by.
#include "tests/matrix_checks.hpp"
#include "variants/gauss_batched/host_bodies.hpp"

namespace portcost::test::test_gauss_batched {

using namespace gauss_batched;

const Algorithm& row() { return algorithm_called("gauss_batched"); }

Problem problem_of(std::int64_t n, std::int64_t count, const std::string& parameters,
                   ElementType type) {
  return test::problem_of(row(), "n=" + std::to_string(n) + ",count=" + std::to_string(count),
                          parameters, type);
}

// To the bit where each product is written as one fused multiply-add.
void agree(Place place, std::int64_t n, std::int64_t count, const std::string& parameters,
           ElementType type) {
  test::agree(row(), place, problem_of(n, count, parameters, type), [&](const Variant& variant) {
    return variant.model != Model::library &&
           (place == Place::device || variant.step == "thread_each");
  });
}

// Of 12 systems of 30 unknowns, unless a size is given.
Reference reference(const char* parameters, const std::string& size = "n=30,count=12") {
  return {row(), test::problem_of(row(), size, parameters, ElementType::f32)};
}

// What every variant of a place makes of a user's matrices: checked by `check`.
template <class T, class Check>
void factor(Place place, const std::vector<T>& matrices, std::int64_t n, const Check& check) {
  const auto instance = instance_of<T>(matrices, n, shared_stream(place));
  const auto count = static_cast<std::int64_t>(matrices.size()) / (n * n);
  CAPTURE(n);
  for_answers(row(), place, problem_of(n, count, "", element_type_of<T>), *instance,
              [&](const Variant&, const Answer& answer) { check(answer); });
}

// Products of two triangles of ones, but for a pivot of 0 in the column that `bad` names, if any.
template <class T>
std::vector<T> with_pivots(std::int64_t n, const std::vector<int>& bad) {
  std::vector<T> matrices;
  for (const int column : bad) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        matrices.push_back(static_cast<T>(std::min(i, j) + (j == column && i >= j ? 0 : 1)));
      }
    }
  }
  return matrices;
}

template <class T>
void refuse_pivots(Place place) {
  // The first column that is refused is named for each system, and the others go on.
  for (const std::int64_t n : {1, 3, 4, 8, 13, 16, 32, 40, 64}) {
    std::vector<int> bad(77, -1);
    for (std::size_t system = 0; system < bad.size(); ++system) {
      if (system % 3 == 1) bad[system] = static_cast<int>(static_cast<std::int64_t>(system) % n);
    }
    bad[75] = static_cast<int>(n) - 1;
    factor<T>(place, with_pivots<T>(n, bad), n, [&](const Answer& answer) {
      CHECK(elements<int>(answer.at("bad_pivot")) == bad);
      const std::vector<T> lu = elements<T>(answer.at("lu"));
      const auto size = static_cast<std::size_t>(n * n);
      int wrong = 0;
      for (std::size_t at = 0; at < lu.size(); ++at) {
        if (bad[at / size] == -1) wrong += lu[at] != 1;
      }
      CHECK(wrong == 0);
    });
  }
  // Of two such pivots the first; and one that only rounding could tell from zero.
  constexpr T u = std::numeric_limits<T>::epsilon() / 2;
  constexpr std::int64_t n = 20;
  std::vector<T> matrices;
  const auto diagonal = [&](T seventh, T last) {
    for (std::int64_t at = 0; at < n * n; ++at) {
      const std::int64_t i = at / n;
      matrices.push_back(at % n != i ? T(0) : i == 6 ? seventh : i == n - 1 ? last : T(4));
    }
  };
  diagonal(0, 0);
  diagonal(1, 4 * u);
  diagonal(1, -8 * u);
  diagonal(4 * u, 1);
  factor<T>(place, matrices, n, [&](const Answer& answer) {
    CHECK(elements<int>(answer.at("bad_pivot")) == std::vector<int>{6, n - 1, -1, 6});
  });
  // One whose reciprocal would be no number, where no element is large; and the least that is none.
  constexpr T least = std::numeric_limits<T>::min();
  const std::vector<T> tiny{2 * least, 0, 0, least / 8,  //
                            2 * least, 0, 0, least,      //
                            2 * least, 0, 0, 2 * least};
  factor<T>(place, tiny, 2, [&](const Answer& answer) {
    CHECK(elements<int>(answer.at("bad_pivot")) == std::vector<int>{1, 1, -1});
  });
}

// Every element of a system belongs to one lane, which is found by its row and its column.
template <class T, int n>
void check_grid() {
  using Shape = GridOf<T, n>;
  CAPTURE(n, sizeof(T));
  std::vector<int> seen(static_cast<std::size_t>(n * n), 0);
  for (int item = 0; item < Shape::of_system; ++item) {
    for (int r = 0; r < Shape::rows; ++r) {
      for (int c = 0; c < Shape::cols; ++c) {
        const int i = Shape::row_of(Shape::y_of(item), r), j = Shape::col_of(Shape::x_of(item), c);
        ++seen[static_cast<std::size_t>(i * n + j)];
      }
    }
  }
  CHECK(std::count(seen.begin(), seen.end(), 1) == n * n);
  for (int k = 0; k < n; ++k) {
    CHECK(Shape::row_of(Shape::y_with(k), Shape::r_with(k)) == k);
    CHECK(Shape::col_of(Shape::x_with(k), Shape::c_with(k)) == k);
  }
  CHECK(Shape::system_of(Shape::threads - 1) == Shape::systems - 1);
}

TEST_CASE("gauss_batched rule: multipliers by a reciprocal, tiny pivots", "[gauss_batched]") {
  // The rest of the rule is that of gauss.
  CHECK(multiplier(6.0, reciprocal(4.0)) == 1.5);
  // By the pivot's reciprocal, which is rounded; 49 / 49 is 1.
  CHECK(multiplier(49.0, reciprocal(49.0)) == 1 - 0x1p-53);
  CHECK(tiny_pivot(4.0f) == 0x1p-22f);
  CHECK(tiny_pivot(0x1p-120f) == 0x1p-126f);
  CHECK(tiny_pivot(0.0) == 0x1p-1022);
}

TEST_CASE(
    "gauss_batched shapes: each element is one lane's, offsets 64-bit, a system fits in 48 KiB",
    "[gauss_batched]") {
  [&]<int... n>(std::integer_sequence<int, n...>) {
    ((check_grid<float, n>(), check_grid<double, n>()), ...);
  }
  (std::integer_sequence<int, 4, 8, 16, 32, 64>());
  const Batch<float> b{nullptr, 64, 10'000'000, nullptr, 0};

  CHECK(b.offset(9'999'999) == std::uint64_t{9'999'999} * 4096);
  for (int n = 1; n <= most_unknowns; ++n) {
    CAPTURE(n);
    CHECK(staged_systems<float>(n) >= 2);
    CHECK(staged_systems<double>(n) >= 1);
    CHECK(staged_systems<double>(n) <= lanes);
    CHECK(staged_systems<double>(n) * staged_pitch(n) * 8 <= 40'000);
    CHECK(staged_pitch(n) % 2 == 1);
    const StagedPlaces place(n);
    const int size = n * n;
    int wrong = 0;
    for (int e = 0; e < staged_systems<float>(n) * size; ++e) {
      wrong += place.of(e) != e / size * staged_pitch(n) + e % size;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("gauss_batched inputs: integers are products, diagonals outweigh", "[gauss_batched]") {
  const Input input = input_of(problem_of(9, 3, "matrix=integer", ElementType::f32));
  for (std::int64_t i = 0; i < 9; ++i) {
    for (std::int64_t j = 0; j < 9; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k <= std::min(i, j); ++k) {
        sum += static_cast<double>((k == i ? 1 : input.element_of_l(2, i, k)) *
                                   input.element_of_u(2, k, j));
      }
      CHECK(input.at(2, i, j) == sum);
    }
  }
  for (const char* matrix : {"matrix=integer", "matrix=random", "matrix=dominant"}) {
    const Input of = input_of(problem_of(9, 3, matrix, ElementType::f32));
    int equal = 0;
    for (std::int64_t at = 0; at < 81; ++at)
      equal += of.at(0, at / 9, at % 9) == of.at(1, at / 9, at % 9);
    CHECK(equal < 40);
  }
  const Input dominant = input_of(problem_of(40, 2, "", ElementType::f64));
  for (std::int64_t i = 0; i < 40; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < 40; ++j) sum += i == j ? 0 : std::abs(dominant.at(1, i, j));
    CHECK(sum < std::abs(dominant.at(1, i, i)));
  }
}

TEST_CASE("gauss_batched: too many systems are refused", "[gauss_batched]") {
  const std::vector<float> many(static_cast<std::size_t>(most_systems) + 1, 1.0f);
  check_throws<Failure>("most_systems",
                        [&] { instance_of<float>(many, 1, shared_stream(Place::host)); });
}

TEST_CASE_IN_PLACES("gauss_batched: {} variants agree at all sizes, on all inputs",
                    "[gauss_batched][kokkos]", "[slow]") {
  const ElementType type = GENERATE(ElementType::f32, ElementType::f64);
  for (std::int64_t n = 1; n <= most_unknowns; ++n) {
    agree(place, n, 19 + n % 4, n % 2 == 0 ? "matrix=integer" : "", type);
  }
  // Alone, and no multiple of what a team or a vector has.
  for (const std::int64_t n : {1, 4, 5, 8, 16, 31, 32, 64}) {
    agree(place, n, 1, "matrix=random", type);
    agree(place, n, 131, "matrix=integer", type);
  }
  agree(place, 4, 1027, "matrix=random", type);
}

TEST_CASE_IN_PLACES("gauss_batched: {} variants name the bad pivot", "[gauss_batched][kokkos]") {
  refuse_pivots<float>(place);
  refuse_pivots<double>(place);
}

TEST_CASE("gauss_batched: by default the truth looks at all systems, of many large ones at some",
          "[gauss_batched][kokkos]") {
  const Reference by_default = reference("", ""), right = reference("", "n=64,count=2000");
  CHECK(mentions(by_default.judgement(by_default.answer()).truth, "100000 of 100000 systems"));
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

TEST_CASE("gauss_batched: more than rounding is a disagreement", "[gauss_batched][kokkos]") {
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

TEST_CASE("gauss_batched: one may refuse a small random pivot alone", "[gauss_batched][kokkos]") {
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
  // It hides no other system's fault.
  const Reference right = reference("matrix=random");
  const Answer refusing = right.answer_with("bad_pivot", 4, 0);
  const Answer other = with_element(right.answer_with("lu", 4 * 900, 0x1p-9f), "lu", 5 * 900, 1e3f);
  CHECK(mentions(right.compared(refusing, other), "row 0 of L U of system 5"));
}

}  // namespace portcost::test::test_gauss_batched
