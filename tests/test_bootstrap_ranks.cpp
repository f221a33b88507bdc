// SPDX-License-Identifier: Apache-2.0
// The bootstrap's ranks against the plain way: draw values, sort, take the median.
#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "src/statistics.hpp"

namespace portcost::test {

namespace {

// Numbers no two of which lie equally far apart, so that every rank shows.
std::vector<double> squares(int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(std::sqrt(2.0) * i * i + i);
  return values;
}

Interval plain_bootstrap(std::vector<double> values, std::uint64_t seed, double confidence,
                         int resamples) {
  std::sort(values.begin(), values.end());
  std::mt19937_64 random(seed);
  std::vector<double> medians;
  for (int i = 0; i < resamples; ++i) {
    std::vector<double> resample;
    for (std::size_t k = 0; k < values.size(); ++k) {
      resample.push_back(values[((random() >> 32) * values.size()) >> 32]);
    }
    medians.push_back(median(resample));
  }
  const double tail = (1 - confidence) / 2;
  return {quantile(medians, tail), quantile(medians, 1 - tail)};
}

}  // namespace

TEST_CASE("bootstrap: ranks give the medians of resamples, of even and of odd counts",
          "[statistics]") {
  for (int count = 1; count <= 24; ++count) {
    for (const double confidence : {0.5, 0.8, 0.95}) {
      const auto seed = static_cast<std::uint64_t>(count);
      const Interval wanted = plain_bootstrap(squares(count), seed, confidence, 200);
      const Interval found = bootstrap_median(squares(count), seed, confidence, 200);
      CAPTURE(count, confidence);
      CHECK(found.low == Catch::Approx(wanted.low));
      CHECK(found.high == Catch::Approx(wanted.high));
    }
  }
}

}  // namespace portcost::test
