// SPDX-License-Identifier: Apache-2.0
// When blocks are precise enough with several allocations: not before there are enough of them, nor
// before each allocation has two pairs.
#include <catch2/catch_test_macros.hpp>

#include "tests/sampler_fakes.hpp"

namespace portcost::test {

namespace {

// Steady work on so many allocations, which would be precise at the first look.
Measurement measure_steady(std::size_t allocations, FakeClockProbe clock = FakeClockProbe()) {
  FakeWorld world;
  world.clock = std::move(clock);
  FakeStopwatch stopwatch(world.time, world.steady());
  SamplerSettings settings;
  settings.seconds = 1e9;
  return world.measure(stopwatch, settings, Regime::cold, 2, allocations);
}

}  // namespace

TEST_CASE("stopping: not before the fewest blocks", "[paired_sampler]") {
  const Measurement m = measure_steady(3);

  CHECK(m.stop == Stop::precise);
  CHECK(m.blocks == 24);  // 12 after two rounds are too few; the next look is after four
}

TEST_CASE("stopping: not before each allocation has two pairs of blocks", "[paired_sampler]") {
  // The first allocation's pairs are dropped in the first two rounds, of 32 readings each.
  const Measurement m = measure_steady(8, FakeClockProbe([](int read) {
                                         return ClockReading{1000, read / 4 == 0 || read / 4 == 8};
                                       }));

  CHECK(m.stop == Stop::precise);
  CHECK(m.dropped == 4);
  CHECK(m.blocks == 76);  // five rounds: after three, one allocation had a single pair
}

}  // namespace portcost::test
