// SPDX-License-Identifier: Apache-2.0
// What samples say: pairs of blocks, units, ratios, times of one side.
#include "src/timing/measurement.hpp"

#include <catch2/catch_approx.hpp>

#include "tests/process_records.hpp"

namespace portcost::test::test_measurement {

namespace {

using Catch::Approx;

constexpr double position = 1.07;  // what going second costs

Measurement made_up(int pairs, const std::vector<double>& ratios) {
  return made_up_measurement(pairs, ratios, position);
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

TEST_CASE("measurement: several processes are one measurement, each a unit", "[paired_sampler]") {
  const std::vector<Measurement> processes{made_up(8, {1.1}), made_up(9, {1.2}), made_up(8, {1.3})};

  const Measurement all = combined(processes);

  CHECK(all.processes == 3);
  CHECK(all.pair_logs(&Timing::device_s).size() == 3);
  CHECK(all.ratio(&Timing::device_s).unit == Unit::process);
  CHECK(all.ratio(&Timing::device_s).units == 3);
  CHECK(all.ratio(&Timing::device_s).value == Approx(std::cbrt(1.1 * 1.2 * 1.3)));
  CHECK(all.time(&Timing::device_s, 1).unit == Unit::process);
  CHECK(all.device_s(0).size() == 50);
  CHECK(all.samples.back().process == 2);
}

TEST_CASE("measurement: of several processes each is a unit, and no two allocations are mixed",
          "[paired_sampler]") {
  const std::vector<Measurement> processes{made_up(2, {1.1, 1.2, 1.3, 1.4}),
                                           made_up(2, {2.1, 2.2, 2.3, 2.4})};

  const auto logs = combined(processes).pair_logs(&Timing::device_s);

  REQUIRE(logs.size() == 8);
  CHECK(logs[2][0] == Approx(std::log(1.3)));
  CHECK(logs[7][1] == Approx(std::log(2.4)));
  const Estimate ratio = combined(processes).ratio(&Timing::device_s);
  CHECK(ratio.unit == Unit::process);
  CHECK(ratio.units == 2);
  double logs_together = 0;
  for (const double one : {1.1, 1.2, 1.3, 1.4, 2.1, 2.2, 2.3, 2.4}) logs_together += std::log(one);
  CHECK(ratio.value == Approx(std::exp(logs_together / 8)));
}

TEST_CASE("measurement: of several processes counts add up and the worst end is kept",
          "[paired_sampler]") {
  Measurement a = made_up(8, {1.1}), b = made_up(8, {1.2});
  a.stop = Stop::time;
  b.stop = Stop::precise;
  a.batch = 3;
  b.batch = 2;
  a.dropped = 2;
  b.dropped = 4;
  a.load = {1, 2, 3, 4, 5, 1, 1, 0.7};
  b.load = {10, 20, 30, 40, 50, 1, 1, 1};

  const Measurement all = combined(std::vector{a, b});

  CHECK(all.stop == Stop::time);
  CHECK(all.batch == 3);
  CHECK(all.blocks == 32);
  CHECK(all.dropped == 6);
  CHECK(all.load.wall_s == 11);
  CHECK(all.load.switches == 22);
  CHECK(all.load.timed_s == 33);
  CHECK(all.load.steal_s == 44);
  CHECK(all.load.others_s == 55);
  CHECK(all.load.clock == 0.7);
}

TEST_CASE("measurement: processes with different allocations are not combined",
          "[paired_sampler]") {
  CHECK_THROWS_AS(combined(std::vector{made_up(8, {1.1}), made_up(8, {1.1, 1.2})}), Failure);
}

TEST_CASE("measurement: a time that is not positive has no logarithm", "[paired_sampler]") {
  Measurement m = made_up(8, {1.5});
  m.samples[3].timing.device_s = 0;

  CHECK_THROWS_AS(m.ratio(&Timing::device_s), Failure);
}

}  // namespace portcost::test::test_measurement
