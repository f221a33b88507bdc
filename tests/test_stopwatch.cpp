// SPDX-License-Identifier: Apache-2.0
// What a stopwatch runs, how often and in which order; the flush before a cold run.
#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "src/memory/buffer.hpp"
#include "src/memory/cache_flush.hpp"
#include "tests/sampler_fakes.hpp"

namespace portcost::test::test_stopwatch {

// Gives the processor something to do, and writes down its phases.
class LoggedExecution final : public Execution {
 public:
  LoggedExecution(FakeInstance& instance, int phases) : instance_(instance), phases_(phases) {}
  int phases() const override { return phases_; }
  bool queued_ahead() const override { return !waits; }
  void run(int phase) override {
    instance_.log += static_cast<char>('0' + phase);
    memory_.poison(instance_.stream());
    const auto end = std::chrono::steady_clock::now() + least;
    while (std::chrono::steady_clock::now() < end) {
    }
    if (fails) throw Failure("made to fail");
  }

  std::chrono::microseconds least{20};
  bool fails = false, waits = false;

 private:
  FakeInstance& instance_;
  int phases_;
  Buffer<int> memory_{1 << 18, instance_.stream().place()};
};

struct Timed {
  explicit Timed(Place place, bool repeatable = true, int phases = 1)
      : instance(shared_stream(place), repeatable),
        execution(instance, phases),
        stopwatch(make_stopwatch(shared_stream(place))) {}
  Timing time(Regime regime, int batch = 1, Sync sync = Sync::end) {
    return stopwatch->time({&instance, &execution, sync}, regime, batch);
  }

  FakeInstance instance;
  LoggedExecution execution;
  std::unique_ptr<Stopwatch> stopwatch;
};

std::string log_of(Place place, bool repeatable, Regime regime, int phases = 1) {
  Timed timed(place, repeatable, phases);
  timed.time(regime);
  return timed.instance.log;
}

TEST_CASE("subject: a run is all phases in order, with either way of waiting", "[stopwatch]") {
  for (const Sync sync : {Sync::end, Sync::phase}) {
    FakeInstance instance(shared_stream(Place::host), true);
    LoggedExecution execution(instance, 4);

    Subject{&instance, &execution, sync}.run();

    CHECK(instance.log == "0123");
  }
}

TEST_CASE("stopwatch: cold runs once, hot twice, reset before where needed", "[stopwatch]") {
  CHECK(log_of(Place::host, true, Regime::cold) == "0");
  CHECK(log_of(Place::host, true, Regime::hot) == "00");
  CHECK(log_of(Place::host, true, Regime::hot, 2) == "0101");
  CHECK(log_of(Place::host, false, Regime::cold, 3) == "r012");
  CHECK(log_of(Place::host, false, Regime::hot, 3) == "r012");
}

TEST_CASE("stopwatch: a batch is divided by its runs; what throws is passed on", "[stopwatch]") {
  Timed five(Place::host);

  CHECK(five.time(Regime::hot, 5).device_s >= 20e-6);
  CHECK(five.instance.log == "000000");
  Timed timed(Place::host);
  timed.execution.fails = true;

  CHECK_THROWS_AS(timed.time(Regime::cold), Failure);
}

TEST_CASE_IN_PLACES("stopwatch: a batch on the {} fits into the time that passed", "[stopwatch]") {
  constexpr int batch = 200;
  Timed timed(place);
  timed.execution.least = {};
  for (const Regime regime : {Regime::cold, Regime::hot}) {
    if (regime == Regime::cold && !timed.stopwatch->batches_cold()) continue;
    const auto start = std::chrono::steady_clock::now();
    const Timing timing = timed.time(regime, batch);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    CAPTURE(name(regime), timing.device_s, timing.wall_s, passed.count());
    CHECK(timing.device_s > 0);
    CHECK(timing.device_s * batch <= passed.count());
    CHECK(timing.wall_s * batch <= passed.count());
  }
}

#if PORTCOST_HAS_CUDA
TEST_CASE("stopwatch: device times are positive, with either way of waiting", "[stopwatch][gpu]") {
  need_device();
  const Regime regime = GENERATE(Regime::cold, Regime::hot);
  const Sync sync = GENERATE(Sync::end, Sync::phase);
  const Timing timing = Timed(Place::device, true, 2).time(regime, 1, sync);
  CHECK(timing.device_s > 0);
  CHECK(timing.wall_s >= 40e-6);
}

TEST_CASE("stopwatch: a device's run that waits is not queued ahead", "[stopwatch][gpu]") {
  need_device();
  Timed timed(Place::device, true, 2);
  CHECK(timed.time(Regime::cold).queued_ahead);
  CHECK_FALSE(timed.time(Regime::cold, 1, Sync::phase).queued_ahead);
  timed.execution.waits = true;
  timed.instance.log.clear();

  CHECK_FALSE(timed.time(Regime::cold, 2).queued_ahead);
  CHECK(timed.instance.log == "0101");  // once by both clocks, for each of the batch
}

TEST_CASE("stopwatch: a device's interval starts afresh where needed", "[stopwatch][gpu]") {
  need_device();

  const std::string log = log_of(Place::device, false, Regime::cold, 2);

  CHECK((log == "r01r01" || log == "r01"));
}
#endif

TEST_CASE_IN_PLACES("profiled range: work on the {} is done once each time, errors passed on",
                    "[profiled_range]") {
  int done = 0;
  for (int i = 0; i < 3; ++i) profiled(shared_stream(place), [&] { ++done; });

  CHECK(done == 3);
  CHECK_THROWS_AS(profiled(shared_stream(place), [] { throw std::runtime_error("no"); }),
                  std::runtime_error);
}

TEST_CASE("cache flush: the user's word on the host's last cache counts", "[cache_flush]") {
  const char* const before = std::getenv("PORTCOST_LAST_CACHE_MIB");
  const std::string kept = before == nullptr ? "" : before;

  setenv("PORTCOST_LAST_CACHE_MIB", "7", 1);
  const std::size_t named = last_cache_bytes(Place::host);
  if (before == nullptr) {
    unsetenv("PORTCOST_LAST_CACHE_MIB");
  } else {
    setenv("PORTCOST_LAST_CACHE_MIB", kept.c_str(), 1);
  }

  CHECK(named == std::size_t{7} << 20);
}

TEST_CASE_IN_PLACES("cache flush: repeated on the {}, it leaves other memory alone",
                    "[cache_flush]") {
  CHECK(last_cache_bytes(place) >= std::size_t{64} << 10);
  Stream& stream = shared_stream(place);
  const std::vector<unsigned> values(100'000, 0xABCDu);
  Buffer<unsigned> neighbour(values.size(), place);
  neighbour.upload(values, stream);
  CacheFlush flush(place);

  for (int i = 0; i < 3; ++i) flush.enqueue(stream);
  stream.synchronize();

  CHECK(neighbour.download(stream) == values);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("cache flush: a device's written half is overwritten alone", "[cache_flush][gpu]") {
  need_device();
  Stream& stream = shared_stream(Place::device);
  constexpr std::size_t count = 1 << 20;
  Buffer<unsigned> written(count, Place::device), read(count, Place::device),
      sink(1, Place::device);
  written.poison(stream);
  read.poison(stream);

  detail::flush_on_device(written.data(), read.data(), sink.data(), count, 7, stream);

  CHECK(written.download(stream) == std::vector<unsigned>(count, 7));
  CHECK(read.download(stream) == std::vector<unsigned>(count, 0xFFFFFFFFu));
}
#endif

}  // namespace portcost::test::test_stopwatch
