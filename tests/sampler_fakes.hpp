// SPDX-License-Identifier: Apache-2.0
// A world for the sampler in which time passes only when something is run, and campaigns that are
// short enough for a test.
#pragma once

#include "perf/command/campaign.hpp"
#include "src/machine/clock_probe.hpp"
#include "src/timing/load_probe.hpp"
#include "src/timing/paired_sampler.hpp"
#include "tests/support.hpp"

namespace portcost::test {

struct FakeTime {
  double seconds = 0;
  Now now() {
    return [this] { return seconds; };
  }
};

class FakeInstance final : public Instance {
 public:
  FakeInstance(Stream& stream, bool repeatable) : Instance(stream), repeatable_(repeatable) {}
  void reset() override { log += 'r'; }
  Answer answer() override { return {}; }
  bool repeatable() const override { return repeatable_; }

  std::string log;  // 'r' a reset, 'x' a run

 private:
  bool repeatable_;
};

class FakeExecution final : public Execution {
 public:
  FakeExecution(FakeTime& time, FakeInstance& instance, double takes)
      : time_(time), instance_(instance), takes_(takes) {}
  void run(int) override {
    ++runs;
    instance_.log += 'x';
    // The first run is slow: modules load, pages are touched.
    time_.seconds += runs == 1 ? 10 * takes_ : takes_;
    if (fails_at != 0 && runs == fails_at) throw Failure("made to fail");
  }

  int runs = 0;
  int fails_at = 0;

 private:
  FakeTime& time_;
  FakeInstance& instance_;
  double takes_;
};

/// Gives the times it is set to, and remembers what it timed.
class FakeStopwatch final : public Stopwatch {
 public:
  struct Call {
    const Execution* execution;
    Regime regime;
    int batch;
  };
  using Rule = std::function<Timing(const Subject&, int call)>;

  explicit FakeStopwatch(FakeTime& time, Rule times = {}) : rule(std::move(times)), time_(time) {}
  Timing time(const Subject& subject, Regime regime, int batch) override {
    const Timing timing = rule(subject, static_cast<int>(calls.size()));
    calls.push_back({subject.execution, regime, batch});
    time_.seconds += timing.wall_s;
    return timing;
  }
  bool batches_cold() const override { return batches; }

  Rule rule;
  bool batches = false;  // in the cold regime, too, as the device's
  std::vector<Call> calls;

 private:
  FakeTime& time_;
};

class FakeClockProbe final : public ClockProbe {
 public:
  using Rule = std::function<ClockReading(int read)>;
  explicit FakeClockProbe(Rule rule = {}) : rule_(std::move(rule)) {}
  ClockReading read() override {
    const int read = reads_++;
    ClockReading reading = rule_ ? rule_(read) : ClockReading{1000.0 + read, false};
    reading.throttled = reading.throttled && !accepted_;
    return reading;
  }
  double accept() override {
    accepted_ = true;
    return 0.7;
  }

 private:
  Rule rule_;
  int reads_ = 0;
  bool accepted_ = false;
};

/// The machine's own instruments, but for a clock that never falls: blocks are not dropped.
inline Instruments with_calm_clock() {
  return {nullptr, std::make_unique<FakeClockProbe>(), nullptr};
}

/// Time for 40 blocks.
inline SamplerSettings long_run(std::uint64_t seed = 1) {
  SamplerSettings settings;
  settings.seconds = 1e9;
  settings.max_blocks = 40;
  settings.seed = seed;
  return settings;
}

/// A machine of two processors; `switches_a_sample` involuntary switches happen in each sample.
class FakeLoadProbe final : public LoadProbe {
 public:
  long switches() override { return (reads_++ + 1) / 2 * switches_a_sample; }
  LoadCounts counts() override {
    now.steal_s += steal_a_measurement;
    now.others_s += others_a_measurement;
    return now;
  }
  int cpus() const override { return 2; }
  int threads() const override { return asked_for; }

  long switches_a_sample = 0;
  double steal_a_measurement = 0, others_a_measurement = 0;
  int asked_for = 2;
  LoadCounts now;

 private:
  long reads_ = 0;
};

/// Two subjects of `takes` seconds of fake time a run; the first is timed as twice the second.
struct FakeWorld {
  explicit FakeWorld(bool repeatable = true, double takes = 1e-3)
      : instance(stream, repeatable),
        a(time, instance, takes),
        b(time, instance, takes),
        subjects{{&instance, &a, Sync::end}, {&instance, &b, Sync::end}},
        stopwatch(time) {
    stopwatch.rule = [this](const Subject& subject, int) {
      return Timing{subject.execution == &a ? 2e-3 : 1e-3, 1e-3};
    };
  }

  Stream stream{Place::host};
  FakeTime time;
  FakeInstance instance;
  FakeExecution a, b;
  std::vector<Subject> subjects;
  FakeStopwatch stopwatch;
  FakeClockProbe clock;
  FakeLoadProbe load;

  /// Never settled: the ratio of the sides jumps from block to block.
  FakeWorld& noisy(double wall_s = 1e-3) {
    stopwatch.rule = [this, wall_s](const Subject& subject, int call) {
      const double jump = 1 + 0.5 * ((call / 2 * 7919) % 13);
      return Timing{subject.execution == &a ? 1e-3 * jump : 1e-3, wall_s};
    };
    return *this;
  }
  Measurement measure(const SamplerSettings& settings = long_run(), Regime regime = Regime::cold,
                      std::size_t sides = 2, std::size_t allocations = 1) {
    const PairedSampler::Sides one(subjects.begin(),
                                   subjects.begin() + static_cast<std::ptrdiff_t>(sides));
    return PairedSampler(stopwatch, clock, load, settings, time.now())
        .measure(std::vector(allocations, one), regime);
  }
};

/// One size, f32, hot.
inline CampaignSettings quick_settings(const std::string& size, int min_blocks = 4,
                                       int max_blocks = 4) {
  CampaignSettings settings;
  settings.sizes = {size};
  settings.types = {"f32"};
  settings.regimes = {Regime::hot};
  settings.sampler.seconds = 0.05;
  settings.sampler.min_blocks = min_blocks;
  settings.sampler.max_blocks = max_blocks;
  settings.sampler.warm_s = 0.001;
  return settings;
}

/// The groups of what `filter` names, where Kokkos runs. Goes on only where that is.
inline std::vector<Group> plan_of(const std::string& filter, const CampaignSettings& settings) {
  need_measured_place();
  return plan(select_variants(std::vector{filter}), settings, kokkos_place());
}

/// What measuring the group gives, in order.
inline std::vector<Result> results_of(CampaignRunner& runner, const Group& group) {
  std::vector<Result> results;
  runner.measure(group, [&](const Result& result) { results.push_back(result); });
  return results;
}

}  // namespace portcost::test
