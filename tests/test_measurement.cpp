// SPDX-License-Identifier: Apache-2.0
// What samples say: pairs of blocks, units, ratios, times of one side.
#include "src/measurement.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "src/error.hpp"

namespace portcost::test {

namespace {

using Catch::Approx;

constexpr double position = 1.07;  // what going second costs

// `pairs` pairs of blocks on each allocation, first in order 0 1, then 1 0. Side 0 takes
// `ratios[allocation]` times as long as side 1.
Measurement made_up(int pairs, const std::vector<double>& ratios) {
  Measurement result;
  result.allocations = static_cast<int>(ratios.size());
  for (int allocation = 0; allocation < result.allocations; ++allocation) {
    for (int block = 0; block < 2 * pairs; ++block) {
      for (int place = 0; place < 2; ++place) {
        Sample sample;
        sample.block = block;
        sample.position = place;
        sample.side = block % 2 == 0 ? place : 1 - place;
        sample.allocation = allocation;
        const double ratio = ratios[static_cast<std::size_t>(allocation)];
        const double takes = (sample.side == 0 ? ratio : 1) * (place == 1 ? position : 1);
        sample.timing = {takes, 2 * takes};
        result.samples.push_back(sample);
      }
    }
  }
  result.blocks = 2 * pairs * result.allocations;
  return result;
}

}  // namespace

TEST_CASE("measurement: what a position costs cancels within a pair of blocks",
          "[paired_sampler]") {
  const auto logs = made_up(3, {1.5}).pair_logs(&Timing::device_s);

  REQUIRE(logs.size() == 1);
  REQUIRE(logs[0].size() == 3);
  for (const double log : logs[0]) CHECK(log == Approx(std::log(1.5)));
}

TEST_CASE("measurement: one number an allocation, whatever the number of blocks",
          "[paired_sampler]") {
  const std::vector<double> ratios{1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08};

  const Estimate few = made_up(2, ratios).ratio(&Timing::device_s);
  const Estimate many = made_up(9, ratios).ratio(&Timing::device_s);

  CHECK(few.unit == Unit::allocation);
  CHECK(few.units == 8);
  CHECK(many.interval.low == Approx(few.interval.low));
  CHECK(many.interval.high == Approx(few.interval.high));
  CHECK(few.interval.contains(1.045));
}

TEST_CASE("measurement: of one allocation, pairs of blocks are the units", "[paired_sampler]") {
  CHECK(made_up(7, {1.5}).ratio(&Timing::device_s).units == 7);
  CHECK_FALSE(made_up(7, {1.5}).ratio(&Timing::device_s).decided());
  const Estimate ratio = made_up(8, {1.5}).ratio(&Timing::wall_s);
  CHECK(ratio.decided());
  CHECK(ratio.unit == Unit::block);
  CHECK(ratio.value == Approx(1.5));
}

TEST_CASE("measurement: a side by itself has a time with an interval", "[paired_sampler]") {
  const Measurement m = made_up(8, {1.5});

  CHECK(m.time(&Timing::device_s, 0).value == Approx(1.5 * std::sqrt(position)));
  CHECK(m.time(&Timing::wall_s, 1).value == Approx(2 * std::sqrt(position)));
}

TEST_CASE("measurement: what was dropped does not count", "[paired_sampler]") {
  Measurement m = made_up(9, {1.5});
  for (Sample& sample : m.samples) {
    if (sample.block / 2 != 4) continue;
    sample.kept = false;
    sample.timing.device_s *= sample.side == 0 ? 100 : 1;
  }

  CHECK(m.ratio(&Timing::device_s).units == 8);
  CHECK(m.ratio(&Timing::device_s).value == Approx(1.5));
  CHECK(m.device_s(0).size() == 16);
}

TEST_CASE("measurement: a time that is not positive has no logarithm", "[paired_sampler]") {
  Measurement m = made_up(8, {1.5});
  m.samples[3].timing.device_s = 0;

  CHECK_THROWS_AS(m.ratio(&Timing::device_s), Failure);
}

}  // namespace portcost::test
