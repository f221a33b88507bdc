// SPDX-License-Identifier: Apache-2.0
// What the sampler decides at the edge: a block throttled in either half, an interval just too wide
// or just narrow enough.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/sampler_fakes.hpp"

namespace portcost::test {

namespace {

SamplerSettings sixteen_blocks_or_more() {
  SamplerSettings settings;
  settings.seconds = 1e9;
  settings.min_blocks = 16;
  settings.max_blocks = 17;
  return settings;
}

Measurement measure_with(double precision) {
  FakeWorld world;
  FakeStopwatch stopwatch(world.time, world.noisy());
  SamplerSettings settings = sixteen_blocks_or_more();
  settings.precision = precision;
  return world.measure(stopwatch, settings);
}

// Half the width, as a logarithm, of the interval that decides after sixteen blocks.
double half_width_of_sixteen() {
  auto a = measure_with(0).device_s(0), b = measure_with(0).device_s(1);
  a.resize(16);
  b.resize(16);
  return bootstrap_median(log_ratios(a, b), SamplerSettings{}.seed, 0.95, 200).half_width();
}

}  // namespace

TEST_CASE("sampler: a block is dropped whichever of its samples was throttled",
          "[paired_sampler]") {
  for (const int spoilt : {4, 5}) {
    FakeWorld world;
    FakeStopwatch stopwatch(world.time, world.noisy());
    world.clock = FakeClockProbe([=](int read) { return ClockReading{500, read == spoilt}; });

    const Measurement m = world.measure(stopwatch, sixteen_blocks_or_more());

    CAPTURE(spoilt);
    CHECK(m.dropped == 1);
    for (const Sample& sample : m.samples) CHECK(sample.kept == (sample.block != 2));
  }
}

TEST_CASE("sampler: stops for precision at the half width asked for, and not before",
          "[paired_sampler]") {
  const double width = half_width_of_sixteen();
  REQUIRE(width > 0);

  CHECK(measure_with(width).stop == Stop::precise);
  CHECK(measure_with(0.99 * width).stop == Stop::blocks);
  CHECK(measure_with(0.6 * width).stop == Stop::blocks);
}

}  // namespace portcost::test
