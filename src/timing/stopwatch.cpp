// SPDX-License-Identifier: Apache-2.0
#include "src/timing/stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/memory/cache_flush.hpp"
#include "src/support/error.hpp"
#if PORTCOST_HAS_CUDA
#include "src/timing/device_stopwatch.hpp"
#endif

namespace portcost {

void Subject::run() const {
  const int phases = execution->phases();
  for (int phase = 0; phase < phases; ++phase) {
    execution->run(phase);
    if (sync == Sync::phase) instance->stream().synchronize();
    if (execution->ends(phase)) return;
  }
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Host work is over when run() returns, so both clocks are one. A flush costs milliseconds here, so
// cold runs come one at a time.
class HostStopwatch final : public Stopwatch {
 public:
  Timing time(const Subject& subject, Regime regime, int batch) override {
    if (!subject.instance->repeatable()) subject.instance->reset();
    if (regime == Regime::cold) {
      flush_.enqueue(subject.instance->stream());
    } else if (subject.instance->repeatable()) {
      subject.run();
    }
    const Ranks& ranks = subject.instance->stream().ranks();
    ranks.barrier();
    const auto start = Clock::now();
    for (int i = 0; i < batch; ++i) subject.run();
    return agreed(seconds_since(start) / batch, ranks);
  }

 private:
  // The slowest rank's, which is the same on all.
  static Timing agreed(double own_s, const Ranks& ranks) {
    if (ranks.size() == 1) return {own_s, own_s};
    std::vector<double> all = ranks.gathered(own_s);
    const double slowest = *std::max_element(all.begin(), all.end());
    return {slowest, slowest, true, std::move(all)};
  }

  CacheFlush flush_{Place::host};
};

}  // namespace

std::unique_ptr<Stopwatch> make_stopwatch(Stream& stream) {
  if (stream.place() == Place::host) return std::make_unique<HostStopwatch>();
#if PORTCOST_HAS_CUDA
  return make_device_stopwatch(stream);
#else
  throw Failure("this build has no CUDA");
#endif
}

}  // namespace portcost
