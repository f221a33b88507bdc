// SPDX-License-Identifier: Apache-2.0
// Statistics on data worked out by hand.
#include "src/statistics.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "src/error.hpp"

namespace portcost::test {

namespace {

using Catch::Approx;
using Values = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Interval quiet{1, 1};  // no noise: smallest_claim decides

Values exponential(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Values values;
  for (int i = 0; i < count; ++i) {
    values.push_back(-std::log((static_cast<double>(random() >> 11) + 0.5) * 0x1p-53));
  }
  return values;
}

}  // namespace

TEST_CASE("statistics: quantiles interpolate between order statistics, type 7", "[statistics]") {
  CHECK(quantile(Values{4, 1, 3, 2}, 0) == 1);
  CHECK(quantile(Values{4, 1, 3, 2}, 0.25) == 1.75);
  CHECK(quantile(Values{4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(quantile(Values{4, 1, 3, 2}, 0.75) == 3.25);
  CHECK(quantile(Values{4, 1, 3, 2}, 1) == 4);
  CHECK(quantile(Values{50, 20, 10, 40, 30}, 0.1) == Approx(14));
  CHECK(quantile(Values{50, 20, 10, 40, 30}, 0.9) == Approx(46));
}

TEST_CASE("statistics: a quantile outside 0 to 1 throws", "[statistics]") {
  CHECK_THROWS_AS(quantile(Values{1, 2}, -0.01), Failure);
  CHECK_THROWS_AS(quantile(Values{1, 2}, 1.01), Failure);
  CHECK_THROWS_AS(quantile(Values{1, 2}, nan), Failure);
}

TEST_CASE("statistics: the median of one value is that value", "[statistics]") {
  CHECK(median(Values{7}) == 7);
  CHECK(quantile(Values{7}, 0.1) == 7);
  CHECK(median(Values{9, 7}) == 8);
  CHECK(median(Values{9, 7, 100}) == 9);
}

TEST_CASE("statistics: infinite values are ordered, not turned into NaN", "[statistics]") {
  const double infinity = std::numeric_limits<double>::infinity();

  CHECK(median(Values{1, 2, infinity}) == 2);
  CHECK(quantile(Values{1, infinity, infinity}, 0.5) == infinity);
}

TEST_CASE("statistics: quartiles of known data", "[statistics]") {
  const Quartiles q = quartiles(Values{5, 1, 4, 2, 3});

  CHECK(q.min == 1);
  CHECK(q.q1 == 2);
  CHECK(q.median == 3);
  CHECK(q.q3 == 4);
}

TEST_CASE("statistics: no values, or NaN among them, throws", "[statistics]") {
  for (const Values& bad : {Values{}, Values{nan}, Values{1, nan, 2}}) {
    CHECK_THROWS_AS(median(bad), Failure);
    CHECK_THROWS_AS(quartiles(bad), Failure);
    CHECK_THROWS_AS(bootstrap_median(bad, 1), Failure);
  }
  CHECK_THROWS_AS(ratio_of(Values{}, Values{}, 1), Failure);
}

TEST_CASE("bootstrap: the same seed gives the same interval, another seed another",
          "[statistics]") {
  const Values values = exponential(31, 5);

  CHECK(bootstrap_median(values, 7) == bootstrap_median(values, 7));
  CHECK_FALSE(bootstrap_median(values, 7, 0.95, 50) == bootstrap_median(values, 8, 0.95, 50));
}

TEST_CASE("bootstrap: the order of the values does not matter", "[statistics]") {
  const Values values = exponential(32, 6);
  const Values reversed(values.rbegin(), values.rend());

  CHECK(bootstrap_median(values, 7) == bootstrap_median(reversed, 7));
}

TEST_CASE("bootstrap: the interval holds the median and lies within the values", "[statistics]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Values values = exponential(static_cast<int>(3 + seed % 30), seed);
    const Interval interval = bootstrap_median(values, seed);
    CAPTURE(seed);
    CHECK(interval.low <= median(values));
    CHECK(interval.high >= median(values));
    CHECK(interval.low >= quantile(values, 0));
    CHECK(interval.high <= quantile(values, 1));
  }
}

TEST_CASE("bootstrap: one value, or equal values, give an interval of no width", "[statistics]") {
  CHECK(bootstrap_median(Values{3}, 1) == Interval{3, 3});
  CHECK(bootstrap_median(Values{2, 2, 2, 2}, 1) == Interval{2, 2});
  CHECK(bootstrap_median(Values{2, 2}, 1).half_width() == 0);
}

TEST_CASE("bootstrap: medians of resamples of two values are those of all four draws",
          "[statistics]") {
  // 0, 1/2 (twice), 1: a quarter each, so the 95 % interval is the whole range and the 40 % one is
  // the middle.
  CHECK(bootstrap_median(Values{0, 1}, 3) == Interval{0, 1});
  CHECK(bootstrap_median(Values{0, 1}, 3, 0.4) == Interval{0.5, 0.5});
}

TEST_CASE("bootstrap: the 95 % interval covers the true median about so often", "[statistics]") {
  constexpr int trials = 300;
  int covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto seed = static_cast<std::uint64_t>(trial + 1);
    const Interval interval = bootstrap_median(exponential(31, seed), seed, 0.95, 300);
    covered += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high;
  }

  CHECK(covered >= 0.90 * trials);
  CHECK(covered <= 0.99 * trials);
}

TEST_CASE("bootstrap: more confidence gives a wider interval", "[statistics]") {
  const Values values = exponential(40, 9);

  CHECK(bootstrap_median(values, 1, 0.5).half_width() <
        bootstrap_median(values, 1, 0.99).half_width());
}

TEST_CASE("bootstrap: a confidence outside 0 to 1, or no resamples, throws", "[statistics]") {
  for (const double confidence : {0.0, 1.0, -0.5, nan}) {
    CHECK_THROWS_AS(bootstrap_median(Values{1, 2}, 1, confidence), Failure);
  }
  CHECK_THROWS_AS(bootstrap_median(Values{1, 2}, 1, 0.95, 0), Failure);
}

TEST_CASE("log ratios: block by block", "[statistics]") {
  const Values logs = log_ratios(Values{2, 3}, Values{1, 3});

  REQUIRE(logs.size() == 2);
  CHECK(logs[0] == Approx(std::log(2.0)));
  CHECK(logs[1] == 0);
}

TEST_CASE("log ratios: times that are not positive, or unequal counts, throw", "[statistics]") {
  for (const double bad : {0.0, -1.0, nan}) {
    CHECK_THROWS_AS(log_ratios(Values{1, bad}, Values{1, 1}), Failure);
    CHECK_THROWS_AS(log_ratios(Values{1, 1}, Values{bad, 1}), Failure);
  }
  CHECK_THROWS_AS(log_ratios(Values{1, 1}, Values{1}), Failure);
}

TEST_CASE("ratio: the median of ratios within blocks, not the ratio of medians", "[statistics]") {
  // Ratios 2, 2, 0.1; the medians alone would say 3 / 10.
  const Ratio ratio = ratio_of(Values{2, 20, 3}, Values{1, 10, 30}, 1);

  CHECK(ratio.value == Approx(2));
  CHECK(ratio.interval.low <= ratio.value);
  CHECK(ratio.interval.high >= ratio.value);
}

TEST_CASE("ratio: swapping the sides inverts it", "[statistics]") {
  const Values a = exponential(21, 1), b = exponential(21, 2);

  CHECK(ratio_of(a, b, 4).value == Approx(1 / ratio_of(b, a, 4).value));
}

TEST_CASE("verdict: wholly above the noise is slower, wholly below is faster", "[statistics]") {
  CHECK(judge({1.03, 1.05}, {0.99, 1.02}) == Verdict::slower);
  CHECK(judge({0.95, 0.98}, {0.99, 1.02}) == Verdict::faster);
}

TEST_CASE("verdict: wholly within the noise is equal, its edges included", "[statistics]") {
  CHECK(judge({0.995, 1.01}, {0.99, 1.02}) == Verdict::equal);
  CHECK(judge({0.99, 1.02}, {0.99, 1.02}) == Verdict::equal);
  CHECK(judge({1.02, 1.02}, {0.99, 1.02}) == Verdict::equal);
}

TEST_CASE("verdict: what straddles an edge of the noise is unclear", "[statistics]") {
  CHECK(judge({1.01, 1.03}, {0.99, 1.02}) == Verdict::unclear);
  CHECK(judge({1.02, 1.03}, {0.99, 1.02}) == Verdict::unclear);
  CHECK(judge({0.97, 1.00}, {0.99, 1.02}) == Verdict::unclear);
  CHECK(judge({0.90, 1.10}, {0.99, 1.02}) == Verdict::unclear);
}

TEST_CASE("verdict: without noise, half a percent is the least that is claimed", "[statistics]") {
  CHECK(judge({1.001, 1.004}, quiet) == Verdict::equal);
  CHECK(judge({1.0051, 1.006}, quiet) == Verdict::slower);
  CHECK(judge({0.99, 0.9949}, quiet) == Verdict::faster);
  CHECK(judge({1.004, 1.006}, quiet) == Verdict::unclear);
  CHECK(judge({1.006, 1.007}, {1.0, 1.01}) == Verdict::equal);
}

TEST_CASE("verdict: every one has a name of its own", "[statistics]") {
  CHECK(name(Verdict::faster) == "faster");
  CHECK(name(Verdict::equal) == "equal");
  CHECK(name(Verdict::slower) == "slower");
  CHECK(name(Verdict::unclear) == "unclear");
}

}  // namespace portcost::test
