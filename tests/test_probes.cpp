// SPDX-License-Identifier: Apache-2.0
// Probes of load and clock see their own machine; limits have names, units and plausible values.
#include <chrono>

#include "src/machine/clock_probe.hpp"
#include "src/machine/limits.hpp"
#include "src/timing/load_probe.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_probes {

// One second on four processors.
Load quiet(int threads = 4) {
  Load load;
  load.wall_s = load.timed_s = 1;
  load.cpus = 4;
  load.threads = threads;
  return load;
}

[[gnu::always_inline]] inline unsigned long one_more(unsigned long x, unsigned long by) {
  x += by;
  asm volatile("" : "+r"(x));
  return x;
}

// With as little besides the additions as can be, which a compiler may not optimise.
double additions_a_microsecond() {
  constexpr int additions = 40'000;
  const auto start = std::chrono::steady_clock::now();
  unsigned long x = 1, by = 3;
  asm volatile("" : "+r"(by));  // some processors add constants without waiting
  for (int i = 0; i < additions; i += 8) {
    x = one_more(one_more(one_more(one_more(x, by), by), by), by);
    x = one_more(one_more(one_more(one_more(x, by), by), by), by);
  }
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - start;
  return additions / elapsed.count();
}

TEST_CASE("load: what other processes take, stolen time, switches, clock and threads disturb",
          "[load]") {
  Load load = quiet();
  load.switches = 40;
  load.others_s = 0.3;
  load.steal_s = 0.05;

  CHECK(load.disturbance().empty());
  CHECK(Load{}.disturbance().empty());
  Load busy = quiet();
  busy.others_s = 1;
  CHECK(mentions(busy.disturbance(), "other processes took 1.0 of 4 processors"));

  busy.threads = 1;  // three processors are idle
  CHECK(busy.disturbance().empty());
  busy.others_s = 3.5;
  CHECK(mentions(busy.disturbance(), "other processes took 3.5 of 4"));
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

TEST_CASE("load: the probe counts processors and threads, and what only grows", "[load]") {
  const auto host = make_load_probe(Place::host), device = make_load_probe(Place::device);
  const LoadCounts before = host->counts();
  const long switches = host->switches();

  CHECK(host->cpus() == find_cpus().usable());
  CHECK(host->threads() == find_cpus().threads);
  CHECK(device->threads() == 1);
  CHECK(host->counts().steal_s >= before.steal_s);
  CHECK(host->switches() >= switches);
  CHECK(before.others_s > 0);  // since the machine started
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

TEST_CASE("clock probe: the host's clock is a processor's, and is compared", "[clock_probe]") {
  const auto probe = make_clock_probe(Place::host);

  double most = 0;
  for (int i = 0; i < 5; ++i) {
    const ClockReading reading = probe->read();
    CHECK(reading.mhz > 0);
    CHECK(reading.mhz < 20'000);
    most = std::max(most, reading.mhz);
  }
  CHECK(most > 10);  // others may have the processor during one
  const auto other = make_clock_probe(Place::host);
  bool fell = false;
  for (int i = 0; i < 1000 && !fell; ++i) {  // none is exactly as the one before for so long
    other->read();
    fell = other->accept() < 1;
  }
  CHECK(fell);
}

TEST_CASE("clock probe: the host's clock counts additions that wait", "[clock_probe]") {
  const auto probe = make_clock_probe(Place::host);
  double read = 0, counted = 0;
  const auto too_many = [&] { return read > 1.06 * counted; };
  for (int i = 0; i < 50 || (i < 5000 && too_many()); ++i) {  // a busy machine makes some slow
    read = std::max(read, probe->read().mhz);
    counted = std::max(counted, additions_a_microsecond());
  }

  CAPTURE(read, counted);
  CHECK(read > 0.6 * counted);
  CHECK_FALSE(too_many());
}

TEST_CASE("clock probe: a clock is behind under 0.8 of the fastest", "[clock_probe]") {
  FastestClock seen;
  CHECK_FALSE(seen.is_behind(1000));
  seen.note(2000);
  CHECK(seen.is_behind(1599));
  CHECK_FALSE(seen.is_behind(1600));
  seen.note(1000);
  CHECK(seen.is_behind(1000));

  CHECK(seen.accept() == 0.5);

  CHECK_FALSE(seen.is_behind(1000));
  CHECK(seen.is_behind(799));
  CHECK(FastestClock().accept() == 1);
  CHECK_FALSE(make_clock_probe(Place::host)->read().throttled);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("clock probe: the device's clock is that of a GPU, or unreadable", "[clock_probe][gpu]") {
  need_device();
  const auto probe = make_clock_probe(Place::device);

  const ClockReading reading = probe->read();

  CHECK(reading.mhz >= 0);
  CHECK(reading.mhz < 20'000);
  CHECK_FALSE(reading.throttled);
  CHECK((reading.mhz > 0) == !driver_version().empty());
}
#endif

const std::set<std::string> units{"B/s", "FLOP/s", "op/s", "s", "B"};

// Twice each: as often as for an interval would take a device half a minute.
void check_all(Place place) {
  const auto table = place == Place::host ? detail::host_limits() : detail::device_limits();
  CHECK(table.size() == limit_names(place).size());
  for (const auto& entry : table) {
    CAPTURE(entry.name, entry.unit);
    CHECK(units.contains(std::string(entry.unit)));
    const std::vector<double> values = entry.measure(shared_stream(place), 2);
    CHECK(values.size() == 2);
    for (const double value : values) CHECK((std::isfinite(value) && value > 0));
  }
}

void check_by_name(std::string_view wanted, const std::string& unit, Place place) {
  const Limit limit = measure_limit(wanted, shared_stream(place));
  CAPTURE(limit.name, limit.value);
  CHECK(limit.name == wanted);
  CHECK(limit.unit == unit);
  const auto [low, high] = limit.interval;
  CHECK((0 < low && low < limit.value && limit.value < high && std::isfinite(high)));
}

// By the limits of a place, with a latency of memory between the given seconds; on a device it is a
// multiprocessor's. The three are measured one after another, on a machine that others may use.
void check_in_flight(const std::string& place, double least_s, double most_s, int processors) {
  const Stream& stream = shared_stream(place == "host " ? Place::host : Place::device);
  const double latency = measure_limit(place + "latency", stream).value;
  const double read = measure_limit(place + "read", stream).value;
  const double in_flight = measure_limit(place + "in flight", stream).value;
  CHECK((latency > least_s && latency < most_s));
  CHECK(std::abs(std::log10(in_flight * processors / (read * latency))) < 1);
}

TEST_CASE("limits: host limits are finite; in flight is rate times latency", "[limits][slow]") {
  CHECK(limit_names(Place::host).size() >= 5);
  check_all(Place::host);
  check_by_name("host fma f32", "FLOP/s", Place::host);
  check_by_name("host add-min i32", "op/s", Place::host);
  check_in_flight("host ", 5e-9, 1e-5, 1);  // no cache is that large and that fast
}

TEST_CASE("limits: a pointer chase comes to every place once", "[limits]") {
  const std::uint32_t count = GENERATE(1u, 2u, 3u, 64u, 97u, 1000u, 46'368u);
  CAPTURE(count);
  const std::vector<std::uint32_t> next = detail::chain(count);
  std::set<std::uint32_t> seen;
  std::uint32_t at = 0;
  int near = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    CHECK_NOTHROW(next.at(at));
    near += next[at] == at + 1;
    at = next[at];
    seen.insert(at);
  }
  CHECK(seen.size() == count);
  CHECK(at == 0);
  if (count >= 64) CHECK(near <= 1);
}

TEST_CASE("limits: no two share a name; another name, or of the other place, throws", "[limits]") {
  std::set<std::string_view> seen;
  for (const Place place : {Place::host, Place::device}) {
    for (const std::string_view limit : limit_names(place)) CHECK(seen.insert(limit).second);
  }
  CHECK(seen.contains("host copy"));
  for (const std::string wanted : {"warp speed", "", "device copy"}) {
    const std::string text =
        message_of<Failure>([&] { measure_limit(wanted, shared_stream(Place::host)); });
    CHECK(mentions(text, "'" + wanted + "'"));
  }
}

#if PORTCOST_HAS_CUDA
TEST_CASE("limits: every device limit is positive and finite", "[limits][gpu]") {
  need_device();
  CHECK(limit_names(Place::device).size() >= 8);
  check_all(Place::device);
  check_by_name("fma f32", "FLOP/s", Place::device);
  // The last cache answers in 0.2 to 0.3 us, the chase on an H200 in 0.35 us a load. What is in
  // flight is a multiprocessor's.
  check_in_flight("device ", 3e-7, 5e-6, processors(Place::device));
}

#endif

}  // namespace portcost::test::test_probes
