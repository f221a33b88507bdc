// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

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
      total.queued_ahead = total.queued_ahead && one.queued_ahead;
      total.ranks_s.resize(one.ranks_s.size());
      for (std::size_t k = 0; k < one.ranks_s.size(); ++k)
        total.ranks_s[k] += one.ranks_s[k] / batch;
    }
    return total;
  }

  bool batches_cold() const override { return true; }

 private:
  static constexpr double long_run_s = 10e-3;
  // A device queues about a thousand launches of some microseconds each; the host waits where there
  // are more, so that a longer delay would bring nothing.
  static constexpr double longest_delay_s = 20e-3;
  // Less than this left to do when the last launch is enqueued: the device has caught up.
  static constexpr double caught_up_s = 100e-6;

  Timing time_interval(const Subject& subject, Regime regime, int batch) {
    Timing together = by_both(subject, regime, batch);
    if (subject.sync == Sync::phase || !subject.execution->queued_ahead()) {
      together.queued_ahead = false;
      return together;
    }
    const double together_s = together.device_s * batch;
    if (together_s > long_run_s && enqueue_s_ < 0.01 * together_s) return together;
    Timing result = delayed(subject, regime, batch);
    result.wall_s = together.wall_s;
    return result;
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
    stream_.ranks().barrier();
    const auto begin = Clock::now();
    start_.record(stream_);
    for (int i = 0; i < batch; ++i) subject.run();
    stop_.record(stream_);
    const double enqueued_s = seconds_since(begin);
    stream_.synchronize();
    const double wall = seconds_since(begin) / batch;
    enqueue_s_ = stream_.ranks().slowest(enqueued_s);  // all wait alike
    return slowest({stop_.seconds_since(start_) / batch, wall});
  }

  // By the device's clock alone, behind a delay that outlasts the host's enqueueing, as just
  // measured, or lets it fill the device's queue.
  Timing delayed(const Subject& subject, Regime regime, int batch) {
    prepare(subject, regime);
    const double wanted = std::min(2 * enqueue_s_ + 20e-6, longest_delay_s);
    stream_.ranks().barrier();
    const auto begin = Clock::now();
    detail::enqueue_delay(static_cast<unsigned>(wanted * 1e9), stream_);
    start_.record(stream_);
    for (int i = 0; i < batch; ++i) subject.run();
    stop_.record(stream_);
    const double enqueued_s = seconds_since(begin);
    stream_.synchronize();
    const double left_s = seconds_since(begin) - enqueued_s;
    const bool ahead = enqueued_s <= wanted || left_s >= caught_up_s;
    return slowest({stop_.seconds_since(start_) / batch, 0, ahead});
  }

  // The same on all ranks, so that all decide alike.
  Timing slowest(const Timing& own) const {
    const Ranks& ranks = stream_.ranks();
    if (ranks.size() == 1) return own;
    std::vector<double> all = ranks.gathered(own.device_s);
    const double slowest_s = *std::max_element(all.begin(), all.end());
    return {slowest_s, ranks.slowest(own.wall_s), !ranks.any(!own.queued_ahead), std::move(all)};
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
