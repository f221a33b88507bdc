// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "src/memory/cache_flush.hpp"
#include "src/memory/cuda_check.hpp"
#include "src/support/clock.hpp"
#include "src/timing/stopwatch.hpp"

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

  // From an idle device.
  Timing by_both(const Subject& subject, Regime regime, int batch) {
    detail::prepare(subject, regime, flush_);
    stream_.synchronize();
    stream_.ranks().barrier();
    const Clock clock;
    start_.record(stream_.native());
    for (int i = 0; i < batch; ++i) subject.run();
    stop_.record(stream_.native());
    const double enqueued_s = clock.seconds();
    stream_.synchronize();
    const double wall = clock.seconds() / batch;
    enqueue_s_ = stream_.ranks().slowest(enqueued_s);  // all wait alike
    return detail::slowest({stop_.seconds_since(start_) / batch, wall}, stream_.ranks());
  }

  // By the device's clock alone, behind a delay that outlasts the host's enqueueing, as just
  // measured, or lets it fill the device's queue.
  Timing delayed(const Subject& subject, Regime regime, int batch) {
    detail::prepare(subject, regime, flush_);
    const double wanted = std::min(2 * enqueue_s_ + 20e-6, longest_delay_s);
    stream_.ranks().barrier();
    const Clock clock;
    detail::enqueue_delay(static_cast<unsigned>(wanted * 1e9), stream_);
    start_.record(stream_.native());
    for (int i = 0; i < batch; ++i) subject.run();
    stop_.record(stream_.native());
    const double enqueued_s = clock.seconds();
    stream_.synchronize();
    const double left_s = clock.seconds() - enqueued_s;
    const bool ahead = enqueued_s <= wanted || left_s >= caught_up_s;
    return detail::slowest({stop_.seconds_since(start_) / batch, 0, ahead}, stream_.ranks());
  }

  Stream& stream_;
  CacheFlush flush_{Place::device};
  Event start_{Place::device, true}, stop_{Place::device, true};
  double enqueue_s_ = 0;
};

}  // namespace

void detail::enqueue_delay(unsigned nanoseconds, const Stream& stream) {
  delay<<<1, 1, 0, stream.native()>>>(nanoseconds);
  cuda_check(cudaGetLastError());
}

std::unique_ptr<Stopwatch> detail::make_device_stopwatch(Stream& stream) {
  return std::make_unique<DeviceStopwatch>(stream);
}

}  // namespace portcost
