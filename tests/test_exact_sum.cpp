// SPDX-License-Identifier: Apache-2.0
// Exact sums against whole numbers of 128 bits.
#include <random>

#include "src/support/exact_sum.hpp"
#include "tests/support.hpp"

namespace portcost::test::exact_sum {

__extension__ using Whole = __int128;

// m * 2^e with m of 53 bits and a sign, and the same as a whole number.
struct Drawn {
  double number;
  Whole whole;
};
std::vector<Drawn> drawn(std::size_t count, int most_exponent, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Drawn> result;
  for (std::size_t i = 0; i < count; ++i) {
    const int exponent = static_cast<int>(random() % static_cast<unsigned>(most_exponent + 1));
    auto mantissa = static_cast<std::int64_t>(random() >> 11);
    if (random() % 2 != 0) mantissa = -mantissa;
    result.push_back({std::ldexp(static_cast<double>(mantissa), exponent),
                      static_cast<Whole>(mantissa) * (Whole{1} << exponent)});
  }
  return result;
}

template <class T>
double sum_of(const std::vector<T>& numbers) {
  ExactSum sum;
  sum.add(std::span<const T>(numbers));
  return sum.value();
}

double sum_one_by_one(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double x : numbers) sum.add(x);
  return sum.value();
}

double root_of(const std::vector<double>& numbers) {
  ExactSum sum;
  sum.add_products(numbers, numbers);
  return sum.root();
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("an exact sum is the sum of whole numbers, rounded once", "[exact_sum]") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto values = drawn(1 + seed * 7, seed % 61, seed);
    Whole truth = 0;
    std::vector<double> numbers;
    for (const Drawn& one : values) {
      truth += one.whole;
      numbers.push_back(one.number);
    }
    CAPTURE(seed);
    CHECK(sum_of(numbers) == static_cast<double>(truth));
    CHECK(sum_one_by_one(numbers) == static_cast<double>(truth));
    // The same in the tiniest numbers, where the least exponent cuts the mantissa.
    std::vector<double> tiny;
    for (const double x : numbers) tiny.push_back(std::ldexp(x, -1074 + 30) * 0x1p-30);
    ExactSum sum;
    sum.add(std::span<const double>(tiny));
    Whole left = 0;
    for (const double x : tiny) left += static_cast<Whole>(std::ldexp(std::ldexp(x, 537), 537));
    CHECK(sum.value() == std::ldexp(std::ldexp(static_cast<double>(left), -537), -537));
  }
}

TEST_CASE("the order of an exact sum, and how it is shared, do not matter", "[exact_sum]") {
  std::mt19937_64 random(7);
  std::vector<double> numbers;
  for (int i = 0; i < 5000; ++i) {
    numbers.push_back(std::ldexp(static_cast<double>(random() >> 11) - 0x1p52,
                                 static_cast<int>(random() % 1900) - 1000));
  }
  const double once = sum_of(numbers), root = root_of(numbers);
  for (int turn = 0; turn < 20; ++turn) {
    std::shuffle(numbers.begin(), numbers.end(), random);
    CHECK(sum_of(numbers) == once);
    CHECK(root_of(numbers) == root);
    ExactSum parts[3], all;
    for (std::size_t i = 0; i < numbers.size(); ++i) parts[random() % 3].add(numbers[i]);
    for (const ExactSum& part : parts) all.add(part);
    CHECK(all.value() == once);
  }
}

TEST_CASE("an exact sum cancels, rounds to even, has NaN and infinities, and loses nothing",
          "[exact_sum]") {
  CHECK(sum_of<double>({1e308, 1e-308, 1e308, 1e308, -1e308, -1e308, -1e308}) == 1e-308);
  CHECK(sum_of<double>({1e308, 1e308, -1e308}) == 1e308);
  CHECK(sum_of<double>({1e308, 1e308}) == infinity);
  CHECK(sum_of<double>({5e-324, -1.0, 1.0}) == 5e-324);
  CHECK(sum_of<double>({}) == 0);
  CHECK(sum_of<float>({1e38F, 1.0F, -1e38F}) == 1);
  CHECK(sum_of<double>({0x1p53, 1}) == 0x1p53);
  CHECK(sum_of<double>({0x1p53, 3}) == 0x1p53 + 4);
  CHECK(sum_of<double>({0x1p53, 1, 0x1p-1000}) == 0x1p53 + 2);
  CHECK(sum_of<double>({-0x1p53, -1, -0x1p-1000}) == -0x1p53 - 2);
  CHECK(sum_of<double>({0x1p53, 1, -0x1p-1000}) == 0x1p53);
  for (int bit = -1; bit > -1075; --bit) {
    CHECK(sum_of<double>({0x1p53, 1, std::ldexp(1.0, bit)}) == 0x1p53 + 2);
  }
  CHECK(std::isnan(sum_of<double>({1, nan, 2})));
  CHECK(std::isnan(sum_of<double>({infinity, -infinity})));
  CHECK(sum_of<double>({1, infinity, infinity}) == infinity);
  CHECK(sum_of<double>({1, -infinity}) == -infinity);
  const std::vector<double> many(100, infinity);
  CHECK(sum_of(many) == infinity);
  CHECK(root_of({-infinity, 1}) == infinity);
  CHECK(std::isnan(root_of({nan, 1})));
  for (const double sign : {-1.0, 1.0}) {
    std::vector<double> numbers;
    for (const double size : {1e120, 1e90, 1e60, 1e30, 1.0, 1e-30}) {
      numbers.insert(numbers.end(), 8, sign * size);
    }
    for (const double size : {1e120, 1e90, 1e60}) numbers.insert(numbers.end(), 8, -sign * size);
    CHECK(sum_of(numbers) == sum_one_by_one(numbers));
    CHECK(sum_of(numbers) == sign * 8e30);
  }
}

TEST_CASE("a root of a sum of squares neither over- nor underflows", "[exact_sum]") {
  CHECK(root_of({3, 4}) == 5);
  CHECK(root_of({0x3p1000, 0x4p1000}) == 0x5p1000);
  CHECK(root_of({0x3p-1070, 0x4p-1070}) == 0x5p-1070);
  CHECK(root_of({}) == 0);
  CHECK(root_of(std::vector<double>(64, 0x1p-600)) == 0x8p-600);
  CHECK(root_of(std::vector<double>(64, 0x1p700)) == 0x8p700);
  std::vector<double> numbers;
  Whole truth = 0;
  for (std::int64_t i = 1; i <= 1000; ++i) {
    numbers.push_back(static_cast<double>(i * 1000003));
    truth += static_cast<Whole>(i * 1000003) * (i * 1000003);
  }
  ExactSum sum;
  sum.add_products(numbers, numbers);
  CHECK(sum.value() == static_cast<double>(truth));
  CHECK(sum.root() == std::sqrt(static_cast<double>(truth)));
}

}  // namespace portcost::test::exact_sum
