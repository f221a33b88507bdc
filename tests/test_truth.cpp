// SPDX-License-Identifier: Apache-2.0
// What judgements have in common, and every algorithm's judgement: right answers pass, wrong ones
// do not.
#include "src/contract/truth.hpp"

#include "tests/support.hpp"
#include "variants/catalogue.hpp"

namespace portcost::test::test_truth {

namespace {

using Numbers = std::vector<std::uint64_t>;

Problem problem_of(const Algorithm& algorithm, const Size& size, ElementType type,
                   std::uint64_t seed) {
  return {size, parse_parameters("", algorithm.parameter_keys), type, seed};
}

// Calls check(algorithm, problem, step, answer) with what each reference answers, for `count`
// random sizes of every type of every algorithm.
template <class Check>
void for_right_answers(int count, const Check& check) {
  Stream& host = shared_stream(Place::host);
  for (const Algorithm* algorithm : catalogue()) {
    for (const ElementType type : algorithm->types) {
      for (int i = 1; i <= count; ++i) {
        const auto seed = static_cast<std::uint64_t>(i);
        const Problem problem = problem_of(*algorithm, algorithm->random_size(seed), type, seed);
        const auto instance = algorithm->make(problem, host);
        for (const Variant& variant : algorithm->variants) {
          if (variant.model != Model::reference) continue;
          CAPTURE(variant_name(*algorithm, variant), problem.size.text(), name(type), seed);
          check(*algorithm, problem, variant.step,
                run_afresh(*instance, *variant.make(problem, *instance)));
        }
      }
    }
  }
}

// What the reference of a step answers.
Answer right_answer(const Algorithm& algorithm, const Problem& problem, std::string_view step) {
  const auto instance = algorithm.make(problem, shared_stream(Place::host));
  return run_afresh(*instance, *reference_of(algorithm, step).make(problem, *instance));
}

std::string fault_of(const Algorithm& algorithm, const Problem& problem, std::string_view step,
                     const Answer& answer) {
  return algorithm
      .judge(problem, step, answer, *algorithm.make(problem, shared_stream(Place::host)))
      .fault;
}

// Turns bits of one element: of a number in floating point so many that it is another by far.
void spoil(Array& answer, std::size_t at) {
  const std::size_t width = bytes(answer.type);
  std::uint32_t word = 0;
  std::byte* const high = answer.bytes.data() + (at + 1) * width - sizeof word;
  std::memcpy(&word, high, sizeof word);
  word ^= answer.type == ElementType::f64 ? 0x3FE00000u : 0x3F000000u;
  std::memcpy(high, &word, sizeof word);
}

}  // namespace

TEST_CASE("truth: few numbers are drawn all, of many the ends and others", "[truth]") {
  CHECK(drawn(0, 4, 1).empty());
  CHECK(drawn(3, 4, 1) == Numbers{0, 1, 2});
  const Numbers some = drawn(1'000'000, 100, 1);
  CHECK(some.size() > 90);
  CHECK(some.size() <= 100);
  CHECK(std::is_sorted(some.begin(), some.end()));
  CHECK(std::adjacent_find(some.begin(), some.end()) == some.end());
  CHECK((some[0] == 0 && some[1] == 1 && some.back() == 999'999));
  CHECK(some == drawn(1'000'000, 100, 1));
  CHECK(some != drawn(1'000'000, 100, 2));
  CHECK(drawn(1'000'000, 1, 1).size() == 1);
}

TEST_CASE("truth: an answer of another shape is named", "[truth]") {
  const Answer answer = answer_of(std::vector<float>{1, 2, 3, 4, 5, 6}, 3);
  const Array& out = answer.at("out");

  CHECK(shape_fault(out, ElementType::f32, 6).empty());
  CHECK(shape_fault(out, ElementType::f32, 3) == "out has 6 f32, where 3 f32 are expected");
  CHECK_FALSE(shape_fault(out, ElementType::i32, 6).empty());
  CHECK(wrong_element(out, 4, "1", "2") == "out[1][1] is 1, where 2 is right");
  CHECK_THROWS_AS(answer.at("in"), Failure);
}

TEST_CASE("truth: is made once a problem and step", "[truth]") {
  Remembered<int> remembered;
  int made = 0;
  Problem problem;
  const auto ask = [&](const char* step) {
    return remembered.of(problem, step, [&] { return ++made; });
  };

  CHECK(ask("a") == 1);
  CHECK(ask("a") == 1);
  CHECK(ask("b") == 2);
  problem.seed = 7;
  CHECK(ask("b") == 3);
  problem.type = ElementType::f64;
  CHECK(ask("b") == 4);
  problem.size = Size({{"n", 1}});
  CHECK(ask("b") == 5);
  problem.parameters = Parameters({{"dt", 1.0}});
  CHECK(ask("b") == 6);
  CHECK(ask("b") == 6);
}

TEST_CASE("truth: every reference is right, and it is said what it was compared with",
          "[truth][slow]") {
  for_right_answers(sanitized ? 20 : 60, [](const Algorithm& algorithm, const Problem& problem,
                                            std::string_view step, const Answer& answer) {
    const auto instance = algorithm.make(problem, shared_stream(Place::host));
    const Judgement judgement = algorithm.judge(problem, step, answer, *instance);
    CHECK(judgement.fault == "");
    CHECK_FALSE(judgement.truth.empty());
  });
}

TEST_CASE("truth: in a small answer any one wrong element is found", "[truth][slow]") {
  int spoilt = 0;
  for_right_answers(sanitized ? 12 : 40, [&](const Algorithm& algorithm, const Problem& problem,
                                             std::string_view step, Answer answer) {
    for (Array& array : answer.arrays) {
      if (array.count() > 1000) return;
      const std::size_t stride = array.count() / 25 + 1;
      for (std::size_t at = problem.seed % stride; at < array.count(); at += stride) {
        spoil(array, at);
        CAPTURE(array.name, at);
        CHECK(fault_of(algorithm, problem, step, answer) != "");
        spoil(array, at);
        ++spoilt;
      }
    }
    CHECK(fault_of(algorithm, problem, step, answer) == "");
  });
  CHECK(spoilt > 1000);
}

TEST_CASE("truth: in a large answer a wrong stretch is found, and poison", "[truth][slow]") {
  Stream& host = shared_stream(Place::host);
  for (const Algorithm* algorithm : catalogue()) {
    for (const Size& size : algorithm->check_sizes()) {
      const Problem problem = problem_of(*algorithm, size, algorithm->types[0], 3);
      const auto instance = algorithm->make(problem, host);
      const Variant& reference = reference_of(*algorithm, {});
      CAPTURE(algorithm->name, size.text());
      Answer answer = run_afresh(*instance, *reference.make(problem, *instance));
      CHECK(fault_of(*algorithm, problem, reference.step, answer) == "");
      if (answer.arrays[0].count() == 0) continue;
      instance->reset();
      const Answer none = instance->answer();
      // A grid that is all edge is right before any step.
      const bool alike = compare_exact(none, answer, host).agrees();
      CHECK((fault_of(*algorithm, problem, reference.step, none) == "") == alike);
      for (std::size_t at = 0; at < (answer.arrays[0].count() + 9) / 10; ++at) {
        spoil(answer.arrays[0], at);
      }
      CHECK(fault_of(*algorithm, problem, reference.step, answer) != "");
    }
  }
}

TEST_CASE("truth: an answer of another shape, or to another seed, is wrong", "[truth]") {
  for_right_answers(sanitized ? 4 : 10, [](const Algorithm& algorithm, const Problem& problem,
                                           std::string_view step, const Answer& answer) {
    if (answer.arrays[0].count() < 100) return;
    Problem other = problem;
    ++other.seed;
    // Few operations end in the same words, such as the least of many, whatever the seed.
    const Answer wanted = right_answer(algorithm, other, step);
    const bool right = compare_exact(wanted, answer, shared_stream(Place::host)).agrees();
    CHECK(fault_of(algorithm, other, step, answer).empty() == right);
    Answer short_one;
    for (const Array& array : answer.arrays) {
      short_one.arrays.push_back({array.name, array.type, {1}, Buffer<std::byte>(8, Place::host)});
    }
    CHECK(fault_of(algorithm, problem, step, short_one) != "");
  });
}

}  // namespace portcost::test::test_truth
