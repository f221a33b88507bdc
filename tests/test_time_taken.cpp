// SPDX-License-Identifier: Apache-2.0
// What a stopwatch says one run takes fits into the time that passed while it was timed.
#include <catch2/catch_test_macros.hpp>
#include <chrono>

#include "src/timing/stopwatch.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_time_taken {

namespace {

constexpr int batch = 200;

class Idle final : public Instance {
 public:
  explicit Idle(Stream& stream) : Instance(stream) {}
  void reset() override {}
  Answer answer() override { return {}; }
  bool repeatable() const override { return true; }

  void work() { memory_.poison(stream()); }

 private:
  Buffer<int> memory_{1 << 18, stream().place()};
};

class Busy final : public Execution {
 public:
  explicit Busy(Idle& instance) : instance_(instance) {}
  void run(int) override { instance_.work(); }

 private:
  Idle& instance_;
};

void check_batch(Place place) {
  Stream& stream = shared_stream(place);
  Idle instance(stream);
  Busy execution(instance);
  const auto stopwatch = make_stopwatch(stream);
  for (const Regime regime : {Regime::cold, Regime::hot}) {
    if (regime == Regime::cold && !stopwatch->batches_cold()) continue;
    const auto start = std::chrono::steady_clock::now();
    const Timing timing = stopwatch->time({&instance, &execution, Sync::end}, regime, batch);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    CAPTURE(name(regime), timing.device_s, timing.wall_s, passed.count());
    CHECK(timing.device_s > 0);
    CHECK(timing.device_s * batch <= passed.count());
    CHECK(timing.wall_s * batch <= passed.count());
  }
}

}  // namespace

TEST_CASE("stopwatch: all runs of a batch fit into the time that passed, on the host",
          "[stopwatch]") {
  check_batch(Place::host);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("stopwatch: all runs of a batch fit into the time that passed, on the device",
          "[stopwatch][gpu]") {
  need_device();
  check_batch(Place::device);
}
#endif

}  // namespace portcost::test::test_time_taken
