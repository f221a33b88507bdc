// SPDX-License-Identifier: Apache-2.0
// When the sampler stops, in a made-up world: precise, out of blocks, out of time, throttled. With
// several allocations it is precise not before there are enough blocks, nor before each allocation
// has two pairs.
#include <catch2/catch_approx.hpp>

#include "tests/sampler_fakes.hpp"

namespace portcost::test::test_stopping {

namespace {

// Steady work on so many allocations, which would be precise at the first look.
Measurement measure_steady(std::size_t allocations, FakeClockProbe clock = FakeClockProbe()) {
  FakeWorld world;
  world.clock = std::move(clock);
  SamplerSettings settings;
  settings.seconds = 1e9;
  return world.measure(settings, Regime::cold, 2, allocations);
}

// Noisy work of 0.1 s a sample.
Measurement measure_slow(double seconds, double spare_s = 0, double wide = SamplerSettings{}.wide) {
  SamplerSettings settings = long_run();
  settings.seconds = seconds;
  settings.spare_s = spare_s;
  settings.wide = wide;
  return FakeWorld().noisy(0.1).measure(settings);
}

// Noisy work, with a clock of 500 MHz that is behind at some of its readings.
Measurement measure_throttled(const std::function<bool(int read)>& throttled) {
  FakeWorld world;
  world.clock = FakeClockProbe([=](int read) { return ClockReading{500, throttled(read)}; });
  return world.noisy().measure();
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

TEST_CASE("sampler: stops when precise, not before the fewest blocks", "[paired_sampler]") {
  const Measurement m = FakeWorld().measure();

  CHECK(m.stop == Stop::precise);
  CHECK(m.blocks == 32);  // precise at 8 pairs and again at 16
}

TEST_CASE("sampler: with several allocations it stops when each is known well enough",
          "[paired_sampler]") {
  // The ratio differs by 30 % from one allocation to the next: more blocks would not help.
  FakeWorld world;
  world.stopwatch.rule = [&](const Subject& subject, int call) {
    const double ratio = 1 + 0.3 * (call / 4 % 8);
    return Timing{subject.execution == &world.a ? 1e-3 * ratio : 1e-3, 1e-3};
  };

  const Measurement m = world.measure(long_run(), Regime::cold, 2, 8);

  CHECK(m.stop == Stop::precise);
  CHECK(m.blocks == 32);  // two rounds: of one nothing is known
  CHECK(m.ratio(&Timing::device_s).interval.high > 1.5);
}

TEST_CASE("sampler: stops at the largest number of blocks", "[paired_sampler]") {
  const Measurement m = FakeWorld().noisy().measure();

  CHECK(m.stop == Stop::blocks);
  CHECK(m.blocks == 40);
}

TEST_CASE("sampler: stops when its time is spent", "[paired_sampler]") {
  const Measurement m = measure_slow(3.9);

  CHECK(m.stop == Stop::time);
  CHECK(m.blocks == 20);
}

TEST_CASE("sampler: takes up to three times its seconds for the units of an interval",
          "[paired_sampler]") {
  CHECK(measure_slow(1.1).blocks == 16);  // 3.2 s
  CHECK(measure_slow(0.5).blocks == 8);   // 1.6 s
}

TEST_CASE("sampler: goes on in spare time while its interval is wide", "[paired_sampler]") {
  CHECK(measure_slow(3.9, 0, 1e-9).blocks == 20);
  CHECK(measure_slow(3.9, 1.9, 1e-9).blocks == 30);
  CHECK(measure_slow(3.9, 1.9, 10).blocks == 20);
}

TEST_CASE("sampler: takes a pair of blocks however little time there is", "[paired_sampler]") {
  SamplerSettings settings = long_run();
  settings.seconds = 1e-9;

  const Measurement m = FakeWorld().noisy(100).measure(settings);

  CHECK(m.stop == Stop::time);
  CHECK(m.blocks == 2);
}

TEST_CASE("sampler: one throttled sample drops its pair of blocks", "[paired_sampler]") {
  const Measurement m = measure_throttled([](int read) { return read == 5; });

  CHECK(m.dropped == 2);
  CHECK(m.blocks == 40);
  REQUIRE(m.samples.size() == 84);
  for (const Sample& sample : m.samples) CHECK(sample.kept == (sample.block / 2 != 1));
  CHECK(m.device_s(0).size() == 40);
  CHECK(m.device_s(1).size() == 40);
}

TEST_CASE("sampler: a clock that is low from the start and stays so is accepted",
          "[paired_sampler]") {
  const Measurement m = measure_throttled([](int) { return true; });

  CHECK(m.dropped == 16);
  CHECK(m.blocks == 40);
  CHECK(m.stop == Stop::blocks);
  CHECK(m.load.disturbance() == "the clock stayed at 70 % of the fastest seen");
}

TEST_CASE("sampler: a clock that falls after blocks were kept is not accepted",
          "[paired_sampler]") {
  const Measurement m = measure_throttled([](int read) { return read >= 4 && read < 100; });

  CHECK(m.dropped > 16);
  CHECK(m.load.clock == 1);
}

TEST_CASE("sampler: gives up when as many blocks were dropped as would have been enough",
          "[paired_sampler]") {
  const Measurement m = measure_throttled([](int read) { return read >= 8; });

  CHECK(m.stop == Stop::throttled);
  CHECK(m.blocks == 4);
  CHECK(m.dropped == 40);
}

TEST_CASE("sampler: a subject alone has half the time of a pair", "[paired_sampler]") {
  SamplerSettings settings = long_run();
  settings.max_blocks = 100'000;
  settings.precision = 0;
  settings.seconds = 1;
  for (const std::size_t sides : {1U, 2U}) {
    const Measurement m = FakeWorld().noisy().measure(settings, Regime::cold, sides);

    CHECK(m.stop == Stop::time);
    CHECK(m.load.wall_s == Catch::Approx(0.5 * static_cast<double>(sides)).epsilon(0.01));
  }
}

}  // namespace portcost::test::test_stopping
