// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "src/memory/cache_flush.hpp"
#include "src/memory/cuda_check.hpp"
#include "src/timing/device_stopwatch.hpp"

namespace portcost {

namespace {

__global__ void delay(unsigned nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    __nanosleep(200);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

class Event {
 public:
  Event() { cuda_check(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(const Stream& stream) { cuda_check(cudaEventRecord(event_, stream.native())); }
  double seconds_since(const Event& start) const {
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, start.event_, event_));
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class DeviceStopwatch final : public Stopwatch {
 public:
  explicit DeviceStopwatch(Stream& stream) : stream_(stream) {}

  Timing time(const Subject& subject, Regime regime, int batch) override {
    if (regime == Regime::hot) return time_interval(subject, regime, batch);
    Timing total;
    for (int i = 0; i < batch; ++i) {
      const Timing one = time_interval(subject, regime, 1);
      total.device_s += one.device_s / batch;
      total.wall_s += one.wall_s / batch;
    }
    return total;
  }

  bool batches_cold() const override { return true; }

 private:
  static constexpr double long_run_s = 10e-3;
  static constexpr double longest_delay_s = 5e-3;

  Timing time_interval(const Subject& subject, Regime regime, int batch) {
    const Timing together = by_both(subject, regime, batch);
    if (subject.sync == Sync::phase || together.device_s * batch > long_run_s) return together;
    return {device_s(subject, regime, batch), together.wall_s};
  }

  void prepare(const Subject& subject, Regime regime) {
    if (!subject.instance->repeatable()) subject.instance->reset();
    if (regime == Regime::cold) {
      flush_.enqueue(stream_);
    } else if (subject.instance->repeatable()) {
      subject.run();
    }
  }

  // From an idle device.
  Timing by_both(const Subject& subject, Regime regime, int batch) {
    prepare(subject, regime);
    stream_.synchronize();
    const auto begin = Clock::now();
    start_.record(stream_);
    for (int i = 0; i < batch; ++i) subject.run();
    stop_.record(stream_);
    enqueue_s_ = seconds_since(begin);
    stream_.synchronize();
    const double wall = seconds_since(begin) / batch;
    return {stop_.seconds_since(start_) / batch, wall};
  }

  // Behind a delay that outlasts the host's enqueueing, as just measured.
  double device_s(const Subject& subject, Regime regime, int batch) {
    prepare(subject, regime);
    const double wanted = std::min(2 * enqueue_s_ + 20e-6, longest_delay_s);
    detail::enqueue_delay(static_cast<unsigned>(wanted * 1e9), stream_);
    start_.record(stream_);
    for (int i = 0; i < batch; ++i) subject.run();
    stop_.record(stream_);
    stream_.synchronize();
    return stop_.seconds_since(start_) / batch;
  }

  Stream& stream_;
  CacheFlush flush_{Place::device};
  Event start_, stop_;
  double enqueue_s_ = 0;
};

}  // namespace

void detail::enqueue_delay(unsigned nanoseconds, const Stream& stream) {
  delay<<<1, 1, 0, stream.native()>>>(nanoseconds);
  cuda_check(cudaGetLastError());
}

std::unique_ptr<Stopwatch> make_device_stopwatch(Stream& stream) {
  return std::make_unique<DeviceStopwatch>(stream);
}

}  // namespace portcost
