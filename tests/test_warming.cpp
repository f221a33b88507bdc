// SPDX-License-Identifier: Apache-2.0
// What the sampler does before the first block: how often it warms, and what it learns from that.
#include <catch2/catch_test_macros.hpp>

#include "tests/sampler_fakes.hpp"

namespace portcost::test::test_warming {

namespace {

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

}  // namespace

TEST_CASE("warming: 50 ms, but no more than 20 runs after the first", "[paired_sampler]") {
  CHECK(warm_runs(3e-3) == 8);  // 30 + 7 x 3 ms
  CHECK(warm_runs(1e-3) == 21);
}

TEST_CASE("warming: three runs at least, two where these take three times as long",
          "[paired_sampler]") {
  CHECK(warm_runs(10e-3) == 3);
  CHECK(warm_runs(13e-3) == 3);  // 143 ms
  CHECK(warm_runs(14e-3) == 2);  // 154 ms
  CHECK(warm_runs(1) == 2);
}

TEST_CASE("warming: its time is that of all allocations", "[paired_sampler]") {
  CHECK(warm_runs(1.5e-3, 5) == 3 + 4 * 7);  // 10 ms each, and one first run
}

TEST_CASE("warming: a batch takes a tenth of a millisecond, and has its longest",
          "[paired_sampler]") {
  CHECK(batch(30e-6, Regime::hot) == 4);
  CHECK(batch(30e-6, Regime::cold) == 4);
  CHECK(batch(1e-9, Regime::hot) == 200);
  CHECK(batch(1e-9, Regime::cold) == 16);
  CHECK(batch(101e-6, Regime::hot) == 1);
  CHECK(batch(0, Regime::hot) == 1);  // shorter than the clock tells
}

TEST_CASE("warming: the faster side's shortest run decides on the batch", "[paired_sampler]") {
  CHECK(batch_of_unequal(0) == 4);
  CHECK(batch_of_unequal(1) == 4);
}

}  // namespace portcost::test::test_warming
