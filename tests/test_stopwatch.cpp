// SPDX-License-Identifier: Apache-2.0
// What a stopwatch runs, how often and in which order; never how fast.
#include "src/timing/stopwatch.hpp"

#include <catch2/catch_test_macros.hpp>
#include <chrono>

#include "src/support/error.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_stopwatch {

namespace {

// Writes down what happens to it: 'r' for a reset, a digit for a phase.
class LoggedInstance final : public Instance {
 public:
  LoggedInstance(Stream& stream, bool repeatable) : Instance(stream), repeatable_(repeatable) {}
  void reset() override { log += 'r'; }
  Answer answer() override { return {}; }
  bool repeatable() const override { return repeatable_; }

  // Something for the processor to do.
  void work() { memory_.poison(stream()); }

  std::string log;

 private:
  bool repeatable_;
  Buffer<int> memory_{1 << 18, stream().place()};
};

class LoggedExecution final : public Execution {
 public:
  LoggedExecution(LoggedInstance& instance, int phases) : instance_(instance), phases_(phases) {}
  int phases() const override { return phases_; }
  bool queued_ahead() const override { return !waits; }
  void run(int phase) override {
    instance_.log += static_cast<char>('0' + phase);
    instance_.work();
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
    while (std::chrono::steady_clock::now() < end) {
    }
    if (fails) throw Failure("made to fail");
  }

  bool fails = false, waits = false;

 private:
  LoggedInstance& instance_;
  int phases_;
};

struct Timed {
  Timing timing;
  std::string log;
};

Timed time_once(Place place, bool repeatable, Regime regime, int batch, int phases = 1,
                Sync sync = Sync::end) {
  Stream& stream = shared_stream(place);
  LoggedInstance instance(stream, repeatable);
  LoggedExecution execution(instance, phases);
  const auto stopwatch = make_stopwatch(stream);
  const Timing timing = stopwatch->time({&instance, &execution, sync}, regime, batch);
  return {timing, instance.log};
}

}  // namespace

TEST_CASE("subject: a run is all phases in order, with either way of waiting", "[stopwatch]") {
  for (const Sync sync : {Sync::end, Sync::phase}) {
    LoggedInstance instance(shared_stream(Place::host), true);
    LoggedExecution execution(instance, 4);

    Subject{&instance, &execution, sync}.run();

    CHECK(instance.log == "0123");
  }
}

TEST_CASE("stopwatch: host times are positive, cold and hot, by both clocks", "[stopwatch]") {
  for (const Regime regime : {Regime::cold, Regime::hot}) {
    const Timing timing = time_once(Place::host, true, regime, 1).timing;
    CHECK(timing.device_s >= 20e-6);
    CHECK(timing.wall_s >= timing.device_s);
  }
}

TEST_CASE("stopwatch: cold runs once, hot runs once before the one that counts", "[stopwatch]") {
  CHECK(time_once(Place::host, true, Regime::cold, 1).log == "0");
  CHECK(time_once(Place::host, true, Regime::hot, 1).log == "00");
  CHECK(time_once(Place::host, true, Regime::hot, 1, 2).log == "0101");
}

TEST_CASE("stopwatch: a batch is so many runs, divided by their number", "[stopwatch]") {
  const Timed five = time_once(Place::host, true, Regime::hot, 5);

  CHECK(five.log == "000000");
  CHECK(five.timing.device_s >= 20e-6);
}

TEST_CASE("stopwatch: what is not repeatable is reset before the interval and never after",
          "[stopwatch]") {
  CHECK(time_once(Place::host, false, Regime::cold, 1, 3).log == "r012");
  CHECK(time_once(Place::host, false, Regime::hot, 1, 3).log == "r012");
}

TEST_CASE("stopwatch: a run that throws is not swallowed", "[stopwatch]") {
  Stream& stream = shared_stream(Place::host);
  LoggedInstance instance(stream, true);
  LoggedExecution execution(instance, 1);
  execution.fails = true;

  CHECK_THROWS_AS(make_stopwatch(stream)->time({&instance, &execution, Sync::end}, Regime::cold, 1),
                  Failure);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("stopwatch: device times are positive, cold and hot, with either way of waiting",
          "[stopwatch][gpu]") {
  need_device();
  for (const Regime regime : {Regime::cold, Regime::hot}) {
    for (const Sync sync : {Sync::end, Sync::phase}) {
      const Timing timing = time_once(Place::device, true, regime, 1, 2, sync).timing;
      CHECK(timing.device_s > 0);
      CHECK(timing.wall_s >= 40e-6);
    }
  }
}

TEST_CASE("stopwatch: on the device, a run that waits for its work is not queued ahead",
          "[stopwatch][gpu]") {
  need_device();
  Stream& stream = shared_stream(Place::device);
  LoggedInstance instance(stream, true);
  LoggedExecution execution(instance, 2);
  const auto stopwatch = make_stopwatch(stream);
  CHECK(stopwatch->time({&instance, &execution, Sync::end}, Regime::cold, 1).queued_ahead);
  CHECK_FALSE(stopwatch->time({&instance, &execution, Sync::phase}, Regime::cold, 1).queued_ahead);
  execution.waits = true;
  instance.log.clear();

  CHECK_FALSE(stopwatch->time({&instance, &execution, Sync::end}, Regime::cold, 2).queued_ahead);
  CHECK(instance.log == "0101");  // once by both clocks, for each of the batch
}

TEST_CASE("stopwatch: on the device, too, each interval of what is not repeatable starts afresh",
          "[stopwatch][gpu]") {
  need_device();

  const std::string log = time_once(Place::device, false, Regime::cold, 1, 2).log;

  CHECK((log == "r01r01" || log == "r01"));
}
#endif

}  // namespace portcost::test::test_stopwatch
