// SPDX-License-Identifier: Apache-2.0
// What counts as a disturbance, and that the probe sees its own machine.
#include "src/timing/load_probe.hpp"

#include <catch2/catch_approx.hpp>

#include "tests/support.hpp"

namespace portcost::test::test_load_probe {

namespace {

using Catch::Approx;

// One second on four processors.
Load quiet(int threads = 4) {
  Load load;
  load.wall_s = load.timed_s = 1;
  load.cpus = 4;
  load.threads = threads;
  return load;
}

}  // namespace

TEST_CASE("load: a quiet machine disturbs nothing", "[load]") {
  Load load = quiet();
  load.switches = 40;
  load.others_s = 0.3;
  load.steal_s = 0.05;

  CHECK(load.disturbance().empty());
  CHECK(Load{}.disturbance().empty());
}

TEST_CASE("load: other processes disturb when they take what the work needs", "[load]") {
  Load load = quiet();
  load.others_s = 1;
  CHECK(mentions(load.disturbance(), "other processes took 1.0 of 4 processors"));

  load.threads = 1;  // three processors are idle
  CHECK(load.disturbance().empty());
  load.others_s = 3.5;
  CHECK(mentions(load.disturbance(), "other processes took 3.5 of 4"));
}

TEST_CASE("load: stolen time, switches, a low clock and, before all else, too many threads disturb",
          "[load]") {
  Load stolen = quiet(), switched = quiet(), slow = quiet(), crowded = quiet(5);
  stolen.steal_s = 0.4;
  switched.switches = 1000;
  slow.clock = 0.75;
  crowded.clock = 0.5;

  CHECK(mentions(stolen.disturbance(), "10 % of the processors' time was stolen"));
  CHECK(mentions(switched.disturbance(), "1000 involuntary context switches in 1 s"));
  CHECK(slow.disturbance() == "the clock stayed at 75 % of the fastest seen");
  CHECK(crowded.disturbance() == "5 threads on 4 processors");
}

TEST_CASE("load: what is allowed grows with time, threads and processors", "[load]") {
  const auto said = [](auto Load::*count, auto value) {
    Load load = quiet(2);
    load.wall_s = 10;  // two processors are idle for 20 s
    load.timed_s = 5;
    load.*count = value;
    return load.disturbance();
  };

  CHECK(said(&Load::others_s, 22.04) == "");
  CHECK(said(&Load::others_s, 22.06) == "other processes took 2.2 of 4 processors");
  CHECK(said(&Load::steal_s, 0.84) == "");
  CHECK(said(&Load::steal_s, 0.86) == "2 % of the processors' time was stolen");
  CHECK(said(&Load::switches, 360) == "");
  CHECK(said(&Load::switches, 361) == "361 involuntary context switches in 5 s");
}

TEST_CASE("load: the probe counts this machine's processors and the work's threads", "[load]") {
  const auto host = make_load_probe(Place::host), device = make_load_probe(Place::device);

  CHECK(host->cpus() == find_cpus().usable());
  CHECK(host->threads() == find_cpus().threads);
  CHECK(device->threads() == 1);
}

TEST_CASE("load: counts of the wanted processors alone, without this process's work", "[load]") {
  const std::string stat =
      "cpu  900 90 90 9000 90 9 9 90 0 0\n"
      "cpu0 100 10 20 4000 50 3 7 40 0 0\n"
      "cpu1 200 20 30 4000 50 0 0 5 0 0\n"
      "cpu10 600 60 40 1000 0 6 2 45 0 0\n"
      "intr 12345\n";

  const LoadCounts first = count_load(stat, {0}, 0.01, 0);
  const LoadCounts two = count_load(stat, {0, 10}, 0.01, 1.5);

  CHECK(first.others_s == Approx(1.40));
  CHECK(first.steal_s == Approx(0.40));
  CHECK(two.others_s == Approx(1.40 + 7.08 - 1.5));
  CHECK(two.steal_s == Approx(0.85));
}

TEST_CASE("load: what the probe counts only grows", "[load]") {
  const auto probe = make_load_probe(Place::host);
  const LoadCounts before = probe->counts();
  const long switches = probe->switches();

  CHECK(probe->counts().steal_s >= before.steal_s);
  CHECK(probe->switches() >= switches);
  CHECK(before.others_s > 0);  // since the machine started
}

}  // namespace portcost::test::test_load_probe
