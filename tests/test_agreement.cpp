// SPDX-License-Identifier: Apache-2.0
// Agreement finds what differs, where, and nothing else.
#include "src/contract/agreement.hpp"

#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <type_traits>

#include "tests/support.hpp"

namespace portcost::test::test_agreement {

namespace {

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

}  // namespace

TEMPLATE_TEST_CASE("agreement within roundings: so many are allowed, and no more", "[agreement]",
                   float, double) {
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

TEST_CASE("agreement within roundings: whole numbers are equal or not", "[agreement]") {
  const auto agree = [](int left, int right) {
    return compare_within(4, answer_of(std::vector{left}, 1), answer_of(std::vector{right}, 1),
                          shared_stream(Place::host))
        .agrees();
  };
  CHECK(agree(7, 7));
  CHECK_FALSE(agree(7, 8));
}

TEST_CASE("agreement: equal answers agree and have nothing to say", "[agreement]") {
  const Disagreement d =
      compare_on_host(answer_of(ramp<float>(1000), 10), answer_of(ramp<float>(1000), 10));

  CHECK(d.agrees());
  CHECK(d.unequal == 0);
  CHECK(d.text.empty());
  CHECK(compare_on_host(answer_of(std::vector<float>{}), answer_of(std::vector<float>{})).agrees());
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

TEST_CASE("agreement: every unequal element is counted and the first is named", "[agreement]") {
  const std::vector<float> values = ramp<float>(50'000);
  std::vector<float> changed = values;
  for (std::size_t i = 49'999; i >= 124; i -= 7) changed[i] = -1;

  const Disagreement d = compare_on_host(answer_of(values), answer_of(changed));

  CHECK(d.unequal == (49'999 - 124) / 7 + 1);
  CHECK(d.first == 124);
  CHECK(mentions(d.text, "first out[124]:"));
}

TEST_CASE("agreement: the same NaN agrees, another NaN, a number or another zero does not",
          "[agreement]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float other = std::bit_cast<float>(std::bit_cast<std::uint32_t>(nan) + 1);
  const auto agree = [](float a, float b) {
    return compare_on_host(answer_of(std::vector{a}), answer_of(std::vector{b})).agrees();
  };

  CHECK(agree(nan, nan));
  CHECK_FALSE(agree(nan, other));
  CHECK_FALSE(agree(nan, 0.0f));
  const Disagreement d =
      compare_on_host(answer_of(std::vector{1.0, -0.0}), answer_of(std::vector{1.0, 0.0}));
  CHECK(d.unequal == 1);
  CHECK(d.first == 1);
  CHECK(mentions(d.text, "1 of 2 elements differ"));
  CHECK_FALSE(mentions(d.text, "\n"));
}

TEST_CASE("agreement: every array is compared, and the first that differs is named",
          "[agreement]") {
  const auto pair_of = [](float last) {
    Answer answer = answer_of<float>({1, 2}, 0, "grid");
    Answer second = answer_of<float>({3, 4, 5, last}, 2, "residual");
    answer.arrays.push_back(std::move(second.arrays[0]));
    return answer;
  };

  const Disagreement d = compare_on_host(pair_of(6), pair_of(7));

  CHECK(compare_on_host(pair_of(6), pair_of(6)).agrees());
  CHECK(d.unequal == 1);
  CHECK(d.array == "residual");
  CHECK(d.first == 3);
  CHECK(mentions(d.text, "1 of 6 elements differ; first residual[1][1]: 6 against 7"));
}

TEST_CASE("agreement: answers of different count or type disagree", "[agreement]") {
  const Answer three = answer_of(ramp<float>(3)), four = answer_of(ramp<float>(4));
  const Answer integers = answer_of(ramp<std::int32_t>(3));

  CHECK_FALSE(compare_on_host(three, four).agrees());
  CHECK_FALSE(compare_on_host(three, integers).agrees());
  CHECK(mentions(compare_on_host(three, four).text, "out 3 f32 against out 4 f32"));
  CHECK(mentions(compare_on_host(three, integers).text, "out 3 f32 against out 3 i32"));
}

#if PORTCOST_HAS_CUDA
TEST_CASE("agreement: device answers are compared like host answers", "[agreement][gpu]") {
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
}

TEST_CASE("agreement: a device answer is compared with a host answer", "[agreement][gpu]") {
  need_device();
  Stream& stream = shared_stream(Place::device);
  const std::vector<std::int32_t> values = ramp<std::int32_t>(10'000);
  std::vector<std::int32_t> changed = values;
  flip_bit(changed[77], 31);

  CHECK(compare_exact(on_device(values), answer_of(values), stream).agrees());
  CHECK(compare_exact(on_device(changed), answer_of(values), stream).first == 77);
  CHECK(compare_exact(answer_of(changed), on_device(values), stream).unequal == 1);
}
#endif

}  // namespace portcost::test::test_agreement
