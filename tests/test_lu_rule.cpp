// SPDX-License-Identifier: Apache-2.0
// The rule of elimination: a reciprocal without a division is, where it holds, a division's.
#include <random>

#include "tests/support.hpp"
#include "variants/shared/lu_rule.hpp"

namespace portcost::test::test_lu_rule {

template <class T>
bool wrong(T pivot) {
  return quick_reciprocal_holds(pivot) && quick_reciprocal(pivot) != reciprocal(pivot);
}
template <class T>
constexpr T great = sizeof(T) == 4 ? T(0x1p125) : T(0x1p1000);

// Mantissas at both ends, and drawn ones.
template <class T>
std::vector<T> some_mantissas() {
  constexpr T digit = std::numeric_limits<T>::epsilon();
  std::vector<T> result;
  for (int i = 0; i < 100; ++i) {
    result.push_back(1 + static_cast<T>(i) * digit);
    result.push_back(2 - static_cast<T>(i + 1) * digit);
  }
  std::mt19937_64 draw(20161);
  std::uniform_real_distribution<double> from_1_to_2(1, 2);
  for (int i = 0; i < 500; ++i) {
    result.push_back(std::min(static_cast<T>(from_1_to_2(draw)), 2 - digit));
  }
  return result;
}

TEST_CASE("lu_rule: a quick reciprocal is a division's, of all mantissas of f32", "[lu_rule]") {
  std::int64_t count = 0;
  for (std::uint32_t i = 0; i < 1u << 23; ++i) {
    count += wrong(1 + static_cast<float>(i) * std::numeric_limits<float>::epsilon());
  }
  CHECK(count == 0);
}

TEMPLATE_TEST_CASE("lu_rule: and at all exponents", "[lu_rule]", float, double) {
  std::int64_t count = 0;
  for (const TestType part : some_mantissas<TestType>()) {
    TestType pivot = part * std::numeric_limits<TestType>::min();
    for (; pivot < great<TestType>; pivot *= 2) count += wrong(pivot) + wrong(-pivot);
  }
  CHECK(count == 0);
}

// Not for a mantissa of all ones, nor where a reciprocal may be less than a normal number.
TEMPLATE_TEST_CASE("lu_rule: not where it may round wrongly", "[lu_rule]", float, double) {
  using T = TestType;
  using Limits = std::numeric_limits<T>;
  const T ones = 2 - Limits::epsilon();
  for (const T pivot : {ones, -ones * 1024, ones * Limits::min(), great<T>, -great<T>,
                        Limits::max(), Limits::infinity(), Limits::quiet_NaN()}) {
    CAPTURE(pivot);
    CHECK_FALSE(quick_reciprocal_holds(pivot));
  }
  for (const T pivot : {T(1), Limits::min(), std::nextafter(ones, T(1)),
                        -std::nextafter(std::nextafter(great<T>, T(0)), T(0))}) {
    CAPTURE(pivot);
    CHECK(quick_reciprocal_holds(pivot));
  }
}

}  // namespace portcost::test::test_lu_rule
