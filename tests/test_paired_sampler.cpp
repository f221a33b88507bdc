// SPDX-License-Identifier: Apache-2.0
// The sampler in a made-up world: order, pairing, warming, batches, load, what goes wrong.
#include "tests/sampler_fakes.hpp"

namespace portcost::test::test_paired_sampler {

// The side that went first in each block.
std::vector<int> orders(const Measurement& measurement) {
  std::vector<int> result;
  for (const Sample& sample : measurement.samples) {
    if (sample.position == 0) result.push_back(sample.side);
  }
  return result;
}

Measurement measure_noisy(std::uint64_t seed = 1) {
  return FakeWorld().noisy().measure(long_run(seed));
}

// How often the first side is run before the first block; its first run takes ten times as long.
int warm_runs(double takes, std::size_t allocations = 1) {
  FakeWorld world(true, takes);
  world.measure({}, Regime::cold, 2, allocations);
  CHECK(world.b.runs == world.a.runs);
  return world.a.runs;
}

int batch(double takes, Regime regime) {
  FakeWorld world(true, takes);
  world.stopwatch.batches = true;
  return world.measure({}, regime).batch;
}

// Of two sides, one of which takes four times as long.
int batch_of_unequal(std::size_t slower) {
  FakeWorld world(true, 30e-6);
  FakeExecution slow(world.time, world.instance, 120e-6);
  world.subjects[slower].execution = &slow;
  return world.measure({}, Regime::hot).batch;
}

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

TEST_CASE("sampler: a block times each side once, then reads the clock", "[paired_sampler]") {
  FakeWorld world;

  const Measurement m = world.noisy().measure();

  REQUIRE(m.samples.size() == 80);
  REQUIRE(world.stopwatch.calls.size() == 80);
  for (std::size_t i = 0; i < m.samples.size(); ++i) {
    const Sample& sample = m.samples[i];
    CHECK(sample.block == static_cast<int>(i / 2));
    CHECK(sample.position == static_cast<int>(i % 2));
    CHECK(sample.side + m.samples[i ^ 1].side == 1);
    CHECK(sample.clock_mhz == 1000.0 + static_cast<double>(i));
    CHECK(world.stopwatch.calls[i].execution == (sample.side == 0 ? &world.a : &world.b));
  }
  const Measurement steady = FakeWorld().measure();  // the first run is none
  CHECK(steady.seconds(&Timing::device_s, 0) ==
        std::vector(static_cast<std::size_t>(steady.blocks), 2e-3));
  CHECK(steady.seconds(&Timing::device_s, 1) ==
        std::vector(static_cast<std::size_t>(steady.blocks), 1e-3));
  CHECK(steady.seconds(&Timing::wall_s, 1).size() == static_cast<std::size_t>(steady.blocks));
}

TEST_CASE("sampler: each pair of blocks has both orders, drawn by a seed", "[paired_sampler]") {
  const std::vector<int> first = orders(measure_noisy(3));

  REQUIRE(first.size() == 40);
  int native_first = 0, changes = 0;
  for (std::size_t i = 0; i < first.size(); i += 2) {
    CHECK(first[i] + first[i + 1] == 1);
    native_first += first[i];
    if (i > 0) changes += first[i] != first[i - 2];
  }
  CHECK((native_first >= 4 && native_first <= 16));
  CHECK((changes >= 3 && changes <= 16));
  CHECK(orders(measure_noisy(3)) == first);
  std::set<std::vector<int>> different;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) different.insert(orders(measure_noisy(seed)));
  CHECK(different.size() == 8);
}

TEST_CASE("sampler: rounds take a pair of blocks on each allocation", "[paired_sampler]") {
  const Measurement m = FakeWorld().noisy().measure(long_run(), Regime::cold, 2, 3);

  CHECK(m.allocations == 3);
  CHECK(m.blocks == 42);  // the first full round past 40
  REQUIRE(m.samples.size() == 84);
  for (std::size_t i = 0; i < m.samples.size(); ++i) {
    const int pair = static_cast<int>(i / 4);
    CHECK(m.samples[i].allocation == pair % 3);
    CHECK(m.samples[i].block / 2 == pair / 3);
  }
  for (const auto& pairs : m.pair_logs(&Timing::device_s)) CHECK(pairs.size() == 7);
}

TEST_CASE("sampler: resets before each warm run, or once where repeatable", "[paired_sampler]") {
  FakeWorld world, not_repeatable(false);
  world.measure();
  not_repeatable.measure();

  CHECK(std::ranges::count(world.instance.log, 'r') == 2);  // once a subject
  CHECK(world.instance.log.front() == 'r');
  const std::string& log = not_repeatable.instance.log;
  REQUIRE(log.size() >= 12);
  for (std::size_t i = 0; i < log.size(); ++i) CHECK(log[i] == (i % 2 == 0 ? 'r' : 'x'));
}

TEST_CASE("sampler: short, hot, repeatable work alone is timed in batches", "[paired_sampler]") {
  for (const auto& [repeatable, takes, regime, least, most] :
       {std::tuple(true, 10e-6, Regime::hot, 10, 11),
        {true, 10e-6, Regime::cold, 1, 1},
        {false, 10e-6, Regime::hot, 1, 1}}) {
    FakeWorld world(repeatable, takes);
    const Measurement m = world.measure(long_run(), regime);
    CAPTURE(repeatable, takes, name(regime), m.batch);
    CHECK((m.batch >= least && m.batch <= most));
    for (const auto& call : world.stopwatch.calls) {
      CHECK(call.batch == m.batch);
      CHECK(call.regime == regime);
    }
  }
}

TEST_CASE("sampler: one subject has the same rules, and half the time", "[paired_sampler]") {
  const Measurement m = FakeWorld().measure(long_run(), Regime::cold, 1);

  CHECK(m.stop == Stop::precise);
  CHECK(m.samples.size() == 32);
  for (const Sample& sample : m.samples) {
    CHECK(sample.side == 0);
    CHECK(sample.position == 0);
  }
  SamplerSettings settings = long_run();
  settings.max_blocks = 100'000;
  settings.precision = 0;
  settings.seconds = 1;
  for (const std::size_t sides : {1U, 2U}) {
    const Measurement long_one = FakeWorld().noisy().measure(settings, Regime::cold, sides);
    CHECK(long_one.stop == Stop::time);
    CHECK(long_one.load.wall_s == Approx(0.5 * static_cast<double>(sides)).epsilon(0.01));
  }
}

TEST_CASE("sampler: switches are counted by sample, load in all", "[paired_sampler]") {
  FakeWorld world;
  world.load.switches_a_sample = 3;
  world.load.steal_a_measurement = 0.25;
  world.load.others_a_measurement = 0.5;
  world.load.asked_for = 4;

  const Measurement m = world.noisy().measure();

  for (const Sample& sample : m.samples) CHECK(sample.switches == 3);
  CHECK(m.load.switches == 240);
  CHECK(m.load.steal_s == Approx(0.25));
  CHECK(m.load.others_s == Approx(0.5));
  CHECK(m.load.timed_s == Approx(80e-3));
  CHECK(m.load.wall_s == Approx(80e-3));
  CHECK(m.load.disturbance() == "4 threads on 2 processors");
}

TEST_CASE("sampler: a run's error is passed on, no time of 0 taken", "[paired_sampler]") {
  FakeWorld failing, timeless;
  failing.b.fails_at = 2;
  timeless.stopwatch.rule = [](const Subject&, int) { return Timing{0, 1e-3}; };

  check_throws<Failure>("made to fail", [&] { failing.measure(); });
  CHECK_THROWS_AS(timeless.measure(), Failure);
}

TEST_CASE("warming: 50 ms of all allocations, of 2 or 3 to 21 runs; a batch of a tenth of one",
          "[paired_sampler]") {
  CHECK(warm_runs(3e-3) == 8);  // 30 + 7 x 3 ms
  CHECK(warm_runs(1e-3) == 21);
  CHECK(warm_runs(10e-3) == 3);
  CHECK(warm_runs(13e-3) == 3);  // 143 ms
  CHECK(warm_runs(14e-3) == 2);  // 154 ms
  CHECK(warm_runs(1) == 2);
  CHECK(warm_runs(1.5e-3, 5) == 3 + 4 * 7);  // 10 ms each, and one first run
  CHECK(batch(30e-6, Regime::hot) == 4);
  CHECK(batch(30e-6, Regime::cold) == 4);
  CHECK(batch(1e-9, Regime::hot) == 200);
  CHECK(batch(1e-9, Regime::cold) == 16);
  CHECK(batch(101e-6, Regime::hot) == 1);
  CHECK(batch(0, Regime::hot) == 1);  // shorter than the clock tells
  CHECK(batch_of_unequal(0) == 4);
  CHECK(batch_of_unequal(1) == 4);
}

TEST_CASE("sampler: stops when precise, at most blocks, or out of time", "[paired_sampler]") {
  const auto end = [](const Measurement& m) { return std::pair(m.stop, m.blocks); };
  SamplerSettings short_run = long_run();
  short_run.seconds = 1e-9;

  // Steady work on three allocations: 12 blocks after two rounds are too few, the next look is
  // after four. On one allocation: precise at 8 pairs and again at 16.
  CHECK(end(measure_steady(3)) == std::pair(Stop::precise, 24));
  CHECK(end(FakeWorld().measure()) == std::pair(Stop::precise, 32));
  CHECK(end(FakeWorld().noisy().measure()) == std::pair(Stop::blocks, 40));
  CHECK(end(measure_slow(3.9)) == std::pair(Stop::time, 20));
  // Up to three times its seconds are for the units of an interval, and a pair of blocks in any
  // case.
  CHECK(measure_slow(1.1).blocks == 16);  // 3.2 s
  CHECK(measure_slow(0.5).blocks == 8);   // 1.6 s
  CHECK(end(FakeWorld().noisy(100).measure(short_run)) == std::pair(Stop::time, 2));
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

TEST_CASE("sampler: it stops when each allocation is known well enough", "[paired_sampler]") {
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

TEST_CASE("sampler: one interrupted block of four does not keep it going", "[paired_sampler]") {
  // In the first round each allocation is interrupted once. After two rounds nothing is known.
  FakeWorld world;
  world.stopwatch.rule = [](const Subject&, int call) {
    return Timing{call < 32 && call % 4 == 0 ? 4e-3 : 1e-3, 1e-3};
  };
  SamplerSettings settings = long_run();
  settings.max_blocks = 400;

  CHECK(world.measure(settings, Regime::cold, 2, 8).blocks == 64);  // four rounds
}

TEST_CASE("sampler: goes on in spare time while its interval is wide", "[paired_sampler]") {
  CHECK(measure_slow(3.9, 0, 1e-9).blocks == 20);
  CHECK(measure_slow(3.9, 1.9, 1e-9).blocks == 30);
  CHECK(measure_slow(3.9, 1.9, 10).blocks == 20);
}

TEST_CASE("sampler: one throttled sample drops its pair of blocks", "[paired_sampler]") {
  const Measurement m = measure_throttled([](int read) { return read == 5; });

  CHECK(m.dropped == 2);
  CHECK(m.blocks == 40);
  REQUIRE(m.samples.size() == 84);
  for (const Sample& sample : m.samples) CHECK(sample.kept == (sample.block / 2 != 1));
  CHECK(m.seconds(&Timing::device_s, 0).size() == 40);
  CHECK(m.seconds(&Timing::device_s, 1).size() == 40);
}

TEST_CASE("sampler: a low clock is accepted at the start, not later", "[paired_sampler]") {
  const Measurement low = measure_throttled([](int) { return true; });
  CHECK(low.dropped == 16);
  CHECK(low.blocks == 40);
  CHECK(low.stop == Stop::blocks);
  CHECK(low.load.disturbance() == "the clock stayed at 70 % of the fastest seen");

  const Measurement falling = measure_throttled([](int at) { return at >= 4 && at < 100; });
  CHECK(falling.dropped > 16);
  CHECK(falling.load.clock == 1);

  // As many are dropped as would do.
  const Measurement fallen = measure_throttled([](int at) { return at >= 8; });
  CHECK(fallen.stop == Stop::throttled);
  CHECK(fallen.blocks == 4);
  CHECK(fallen.dropped == 40);
}

}  // namespace portcost::test::test_paired_sampler
