// SPDX-License-Identifier: Apache-2.0
// What judgements have in common, and every algorithm's judgement: right answers pass, wrong ones
// do not. Agreement finds what differs, where, and nothing else.
#include <bit>
#include <type_traits>

#include "src/contract/agreement.hpp"
#include "src/contract/truth.hpp"
#include "tests/matrix_checks.hpp"

namespace portcost::test::test_truth {

using Numbers = std::vector<std::uint64_t>;

// Calls check(algorithm, problem, step, answer) with what each reference answers, for `count`
// random sizes of every type of every algorithm.
template <class Check>
void for_right_answers(int count, const Check& check) {
  Stream& host = shared_stream(Place::host);
  for (const Algorithm* algorithm : catalogue()) {
    for (const ElementType type : algorithm->types) {
      for (int i = 1; i <= count; ++i) {
        const auto seed = static_cast<std::uint64_t>(i);
        const Problem problem = random_problem(*algorithm, type, seed);
        const auto instance = algorithm->make(problem, host);
        for (const Variant& variant : algorithm->variants) {
          if (variant.model != Model::reference || !variant.unfit(problem).empty()) continue;
          CAPTURE(variant_name(*algorithm, variant), problem.size.text(), name(type), seed);
          check(*algorithm, problem, variant.step,
                run_afresh(*instance, *variant.make(problem, *instance)));
        }
      }
    }
  }
}

std::string fault_of(const Algorithm& algorithm, const Problem& problem, std::string_view step,
                     const Answer& answer) {
  return Reference(algorithm, problem, step).fault(answer);
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

template <class T>
void flip_bit(T& value, unsigned bit) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  value = std::bit_cast<T>(std::bit_cast<Bits>(value) ^ (Bits{1} << bit));
}

Disagreement compare_on_host(const Answer& left, const Answer& right) {
  return compare_exact(left, right, shared_stream(Place::host));
}

// Two values are off by `steps` neighbouring numbers.
template <class T>
Disagreement compare_shifted(int roundings, int steps, T value) {
  std::vector<T> left = ramp<T>(1000), right = left;
  for (const std::size_t index : {std::size_t{321}, std::size_t{322}}) {
    left[index] = right[index] = value;
    for (int i = 0; i < steps; ++i) {
      right[index] = std::nextafter(right[index], std::numeric_limits<T>::infinity());
    }
  }
  return compare_within(roundings, answer_of(left, 10), answer_of(right, 10),
                        shared_stream(Place::host));
}

#if PORTCOST_HAS_CUDA
template <class T>
Answer on_device(const std::vector<T>& values, std::size_t row = 0) {
  const Answer host = answer_of(values, row);
  const Array& from = host.arrays[0];
  Answer device;
  device.arrays.push_back(
      {from.name, from.type, from.shape, Buffer<std::byte>(from.bytes.size(), Place::device)});
  device.arrays[0].bytes.copy_from(from.bytes, shared_stream(Place::device));
  shared_stream(Place::device).synchronize();
  return device;
}
#endif

TEST_CASE("truth: few numbers are drawn all; an answer of another shape is named", "[truth]") {
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

TEST_CASE("truth: references are right, in small answers any wrong element is found",
          "[truth][slow]") {
  int spoilt = 0;
  for_right_answers(sanitized ? 20 : 60, [&](const Algorithm& algorithm, const Problem& problem,
                                             std::string_view step, Answer answer) {
    const auto instance = algorithm.make(problem, shared_stream(Place::host));
    const Judgement judgement = algorithm.judge(problem, step, answer, *instance);
    CHECK(judgement.fault == "");
    CHECK_FALSE(judgement.truth.empty());
    if (problem.seed > (sanitized ? 12 : 40)) return;
    for (Array& array : answer.arrays) {
      if (array.count() > 1000) return;
      const std::size_t stride = array.count() / 25 + 1;
      for (std::size_t at = problem.seed % stride; at < array.count(); at += stride) {
        // A compensation is no more than the error that is allowed; statistics see no one number.
        if (algorithm.name == "summation" && step == "kahan" && at == 1) continue;
        if (algorithm.name == "random" && step.starts_with("pool")) continue;
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
      const Problem problem = problem_of(*algorithm, size.text(), "", algorithm->types[0], 3);
      const Reference reference(*algorithm, problem);
      CAPTURE(algorithm->name, size.text());
      Answer answer = reference.answer();
      CHECK(reference.fault(answer) == "");
      if (answer.arrays[0].count() == 0) continue;
      reference.instance->reset();
      const Answer none = reference.instance->answer();
      // A grid that is all edge is right before any step.
      const bool alike = compare_exact(none, answer, host).agrees();
      CHECK((reference.fault(none) == "") == alike);
      for (std::size_t at = 0; at < (answer.arrays[0].count() + 9) / 10; ++at) {
        spoil(answer.arrays[0], at);
      }
      CHECK(reference.fault(answer) != "");
    }
  }
}

TEST_CASE("truth: an answer of another shape, or to another seed, is wrong", "[truth]") {
  for_right_answers(sanitized ? 4 : 10, [](const Algorithm& algorithm, const Problem& problem,
                                           std::string_view step, const Answer& answer) {
    if (answer.arrays[0].count() < 100) return;
    if (algorithm.name == "random" && step.starts_with("pool")) return;  // any seed's have one law
    Problem other = problem;
    ++other.seed;
    // Few operations end in the same words, such as the least of many, whatever the seed.
    const Answer wanted = Reference(algorithm, other, step).answer();
    const bool right = compare_exact(wanted, answer, shared_stream(Place::host)).agrees();
    CHECK(fault_of(algorithm, other, step, answer).empty() == right);
    Answer short_one;
    for (const Array& array : answer.arrays) {
      short_one.arrays.push_back({array.name, array.type, {1}, Buffer<std::byte>(8, Place::host)});
    }
    CHECK(fault_of(algorithm, problem, step, short_one) != "");
  });
}

TEMPLATE_TEST_CASE("agreement: so many roundings are allowed", "[agreement]", float, double) {
  using T = TestType;
  for (const T value : {T(1), T(-2), T(1e-30), T(1e30)}) {
    CAPTURE(value);
    CHECK(compare_shifted<T>(4, 4, value).agrees());
    CHECK_FALSE(compare_shifted<T>(4, 9, value).agrees());
    CHECK(compare_shifted<T>(0, 0, value).agrees());
    CHECK_FALSE(compare_shifted<T>(0, 1, value).agrees());
  }
  const Disagreement d = compare_shifted<T>(4, 9, T(1));
  CHECK(d.unequal == 2);
  CHECK(d.first == 321);
  CHECK(mentions(d.text, "first out[32][1]:"));
  CHECK(mentions(d.text, "(rule: within 4 roundings)"));
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  CHECK(equal_within(4, nan, nan));
  CHECK_FALSE(equal_within(4, nan, T(1)));
  CHECK(equal_within(4, inf, inf));
  CHECK_FALSE(equal_within(4, inf, std::numeric_limits<T>::max()));
  CHECK_FALSE(equal_within(0, T(0), -T(0)));
  CHECK(equal_within(1, T(0), -T(0)));
}

TEST_CASE("agreement: whole numbers are equal or not, as are count and type", "[agreement]") {
  const auto agree = [](const Answer& left, const Answer& right) {
    return compare_within(4, left, right, shared_stream(Place::host)).agrees();
  };
  const Answer seven = answer_of(std::vector{7}, 1);
  CHECK(agree(seven, seven));
  CHECK_FALSE(agree(seven, answer_of(std::vector{8}, 1)));
  const Answer three = answer_of(ramp<float>(3)), four = answer_of(ramp<float>(4));
  CHECK(mentions(compare_on_host(three, four).text, "out 3 f32 against out 4 f32"));
  CHECK(mentions(compare_on_host(three, answer_of(ramp<std::int32_t>(3))).text,
                 "out 3 f32 against out 3 i32"));
}

TEST_CASE("agreement: equal answers agree, every unequal element is counted", "[agreement]") {
  const Disagreement same =
      compare_on_host(answer_of(ramp<float>(1000), 10), answer_of(ramp<float>(1000), 10));

  CHECK(same.agrees());
  CHECK(same.unequal == 0);
  CHECK(same.text.empty());
  CHECK(compare_on_host(answer_of(std::vector<float>{}), answer_of(std::vector<float>{})).agrees());
  const std::vector<float> values = ramp<float>(50'000);
  std::vector<float> changed = values;
  for (std::size_t i = 49'999; i >= 124; i -= 7) changed[i] = -1;

  const Disagreement d = compare_on_host(answer_of(values), answer_of(changed));

  CHECK(d.unequal == (49'999 - 124) / 7 + 1);
  CHECK(d.first == 124);
  CHECK(mentions(d.text, "first out[124]:"));
}

TEMPLATE_TEST_CASE("agreement: one flipped bit is found at its row and column", "[agreement]",
                   float, double, std::int32_t) {
  constexpr std::size_t count = 70'000, row = 700;
  const std::vector<TestType> values = ramp<TestType>(count);
  for (const std::size_t index : {std::size_t{0}, std::size_t{4321}, count - 1}) {
    std::vector<TestType> changed = values;
    flip_bit(changed[index], 0);

    const Disagreement d = compare_on_host(answer_of(values, row), answer_of(changed, row));

    CAPTURE(index, d.text);
    CHECK_FALSE(d.agrees());
    CHECK(d.unequal == 1);
    CHECK(d.first == index);
    CHECK(d.left == static_cast<double>(values[index]));
    CHECK(d.right == static_cast<double>(changed[index]));
    CHECK(mentions(d.text, fmt::format("first out[{}][{}]:", index / row, index % row)));
  }
}

TEST_CASE("agreement: the same NaN agrees, another or another zero does not", "[agreement]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float other = std::bit_cast<float>(std::bit_cast<std::uint32_t>(nan) + 1);
  const auto agree = [](float a, float b) {
    return compare_on_host(answer_of(std::vector{a}), answer_of(std::vector{b})).agrees();
  };

  CHECK(agree(nan, nan));
  CHECK_FALSE(agree(nan, other));
  CHECK_FALSE(agree(nan, 0.0f));
  CHECK_FALSE(agree(-0.0f, 0.0f));
}

TEST_CASE("agreement: all arrays are compared, the first difference is named", "[agreement]") {
  const auto pair_of = [](double last) {
    Answer answer = answer_of<double>({1, -0.0}, 0, "grid");
    answer.arrays.push_back(std::move(answer_of<double>({3, 4, 5, last}, 2, "residual").arrays[0]));
    return answer;
  };

  const Disagreement d = compare_on_host(pair_of(-0.0), pair_of(0.0));

  CHECK(compare_on_host(pair_of(6), pair_of(6)).agrees());
  CHECK(d.unequal == 1);
  CHECK(d.array == "residual");
  CHECK(d.first == 3);
  CHECK(mentions(d.text, "1 of 6 elements differ; first residual[1][1]: -0 against 0"));
  CHECK_FALSE(mentions(d.text, "\n"));
}

#if PORTCOST_HAS_CUDA
TEST_CASE("agreement: device answers are compared like, and with, host answers",
          "[agreement][gpu]") {
  need_device();
  Stream& stream = shared_stream(Place::device);
  const std::vector<double> values = ramp<double>(1'500'000);
  std::vector<double> changed = values;
  flip_bit(changed[1'234'567], 0);
  changed[1'499'999] = -0.0;

  const Disagreement d = compare_exact(on_device(values, 1000), on_device(changed, 1000), stream);

  CHECK(compare_exact(on_device(values), on_device(values), stream).agrees());
  CHECK(d.unequal == 2);
  CHECK(d.first == 1'234'567);
  CHECK(d.left == values[d.first]);
  CHECK(d.right == changed[d.first]);
  CHECK(mentions(d.text, "[1234][567]"));
  CHECK(compare_exact(on_device(values), answer_of(values), stream).agrees());
  CHECK(compare_exact(on_device(changed), answer_of(values), stream).first == 1'234'567);
  CHECK(compare_exact(answer_of(changed), on_device(values), stream).unequal == 2);
}
#endif

}  // namespace portcost::test::test_truth
