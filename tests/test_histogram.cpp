// SPDX-License-Identifier: Apache-2.0
// histogram's inputs, and its variants on skewed keys.
#include "tests/matrix_checks.hpp"
#include "variants/histogram/problem.hpp"

namespace portcost::test::test_histogram {

using namespace histogram;

constexpr unsigned all_bins[] = {few_bins, some_bins, many_bins};

const Algorithm& row() { return algorithm_called("histogram"); }

std::vector<unsigned> counted(const std::vector<unsigned>& keys, unsigned bins) {
  std::vector<unsigned> counts(bins, 0);
  for (const unsigned key : keys) ++counts[key];
  return counts;
}

// The last size ends amid a pack, a few keys behind tiles of both shapes.
TEST_CASE_IN_PLACES("histogram: {} variants count skewed keys", "[histogram][kokkos]") {
  const unsigned wide = 4 * wide_shape(Place::device).threads() * wide_shape(Place::device).loads;
  const unsigned own = 4 * private_shape.threads() * private_shape.loads;
  for (const unsigned bins : all_bins) {
    for (const unsigned n : {99'991u, own - 1, wide - 5, 16 * own + 1, std::lcm(own, wide) + 7}) {
      const std::string size = fmt::format("n={},bins={}", n, bins);
      agree(row(), place, problem_of(row(), size, "skew=heavy", ElementType::i32));
    }
  }
}

TEST_CASE("histogram inputs: uniform keys are uniform, heavy ones mostly zero", "[histogram]") {
  for (const unsigned bins : all_bins) {
    constexpr unsigned n = 400'000;
    std::vector<unsigned> uniform, heavy;
    for (unsigned i = 0; i < n; ++i) {
      uniform.push_back(key_of(Skew::none, 1, i, bins));
      heavy.push_back(key_of(Skew::heavy, 1, i, bins));
    }
    REQUIRE(*std::max_element(uniform.begin(), uniform.end()) == bins - 1);
    REQUIRE(*std::max_element(heavy.begin(), heavy.end()) < bins);
    const auto even = counted(uniform, bins), skewed = counted(heavy, bins);
    CAPTURE(bins);
    CHECK(*std::min_element(even.begin(), even.end()) > n / bins / 3);
    CHECK(*std::max_element(even.begin(), even.end()) < n / bins * 2);
    CHECK(skewed[0] > n / 100 * 89);
    CHECK(skewed[0] < n / 100 * 91);
    CHECK(skewed[1] > skewed[8]);
    CHECK(skewed[8] > skewed[bins - 1]);
  }
}

}  // namespace portcost::test::test_histogram
