// SPDX-License-Identifier: Apache-2.0
#include "src/timing/stopwatch.hpp"

#include <algorithm>

#include "src/memory/cache_flush.hpp"
#include "src/support/clock.hpp"
#if PORTCOST_HAS_CUDA
#include <cuda_profiler_api.h>

#include "src/memory/cuda_check.hpp"
#endif

namespace portcost {

void Subject::run() const {
  const int phases = execution->phases();
  if (sync == Sync::transfers) instance->send();
  for (int phase = 0; phase < phases; ++phase) {
    execution->run(phase);
    if (sync == Sync::phase) instance->stream().synchronize();
    if (execution->ends(phase)) break;
  }
  if (sync == Sync::transfers) instance->fetch();
}

void detail::prepare(const Subject& subject, Regime regime, CacheFlush& flush) {
  const bool repeatable = subject.instance->repeatable();
  if (!repeatable) subject.instance->reset();
  if (regime == Regime::cold) {
    flush.enqueue(subject.instance->stream());
  } else if (repeatable) {
    subject.run();
  }
}

Timing detail::slowest(const Timing& own, const Ranks& ranks) {
  if (ranks.size() == 1) return own;
  std::vector<double> all = ranks.gathered(own.device_s);
  const double slowest_s = *std::ranges::max_element(all);
  return {slowest_s, ranks.slowest(own.wall_s), !ranks.any(!own.queued_ahead), std::move(all)};
}

namespace {

// Host work is over when run() returns, so both clocks are one. A flush costs milliseconds here, so
// cold runs come one at a time.
class HostStopwatch final : public Stopwatch {
 public:
  Timing time(const Subject& subject, Regime regime, int batch) override {
    detail::prepare(subject, regime, flush_);
    const Ranks& ranks = subject.instance->stream().ranks();
    ranks.barrier();
    const Clock clock;
    for (int i = 0; i < batch; ++i) subject.run();
    const double own_s = clock.seconds() / batch;
    return detail::slowest({own_s, own_s}, ranks);
  }

 private:
  CacheFlush flush_{Place::host};
};

}  // namespace

std::unique_ptr<Stopwatch> make_stopwatch(Stream& stream) {
  if (stream.place() == Place::host) return std::make_unique<HostStopwatch>();
  if constexpr (PORTCOST_HAS_CUDA) return detail::make_device_stopwatch(stream);
  no_device();
}

void profiled(const Stream& stream, const std::function<void()>& work) {
  stream.synchronize();
#if PORTCOST_HAS_CUDA
  if (stream.place() == Place::device) cuda_check(cudaProfilerStart());
#endif
  work();
  stream.synchronize();
#if PORTCOST_HAS_CUDA
  if (stream.place() == Place::device) cuda_check(cudaProfilerStop());
#endif
}

}  // namespace portcost
