// SPDX-License-Identifier: Apache-2.0
#include "src/timing/paired_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace portcost {

namespace {

constexpr int longest_hot_batch = 200;
constexpr int longest_cold_batch = 16;
constexpr double by_itself = 0.5;  // of `seconds`, for one subject: half the samples, and no ratio

// Half the width of the interval that the spread within allocations would give by itself.
double half_width_within(std::span<const std::vector<double>> logs) {
  double variances = 0;
  int degrees = 0;
  for (const auto& allocation : logs) {
    const TrimmedMean mean = interquartile_mean(allocation);
    variances += mean.standard_error * mean.standard_error;
    degrees += mean.degrees;
  }
  return student_t(degrees) * std::sqrt(variances) / static_cast<double>(logs.size());
}

double half_width(const Estimate& ratio) {
  return std::log(ratio.interval.high / ratio.interval.low) / 2;
}

int rounds(const Measurement& measurement) {
  return measurement.blocks / measurement.allocations / 2;
}

}  // namespace

PairedSampler::PairedSampler(Stopwatch& stopwatch, ClockProbe& clock, LoadProbe& load,
                             SamplerSettings settings, Now now, Before before)
    : stopwatch_(stopwatch),
      clock_(clock),
      load_(load),
      settings_(settings),
      now_(std::move(now)),
      before_(std::move(before)) {}

// Runs until settled and returns the shortest run seen, in wall seconds.
double PairedSampler::warm(const Subject& subject, double warm_s) const {
  const double begin = now_();
  double shortest = 0;
  for (int run = 0;; ++run) {
    if (before_) before_(subject);
    if (run == 0 || !subject.instance->repeatable()) subject.instance->reset();
    subject.instance->stream().synchronize();
    const double start = now_();
    subject.run();
    subject.instance->stream().synchronize();
    const double elapsed = now_() - start;
    shortest = run == 0 ? elapsed : std::min(shortest, elapsed);
    const bool enough_time = now_() - begin >= warm_s || run >= 20;
    if (run + 1 >= settings_.warm_runs && enough_time) return shortest;
    // Very long work settles by itself: one warm run is enough once it has filled the time three
    // times over.
    if (run >= 1 && now_() - begin >= 3 * warm_s) return shortest;
  }
}

double PairedSampler::warm_all(std::span<const Sides> allocations) const {
  const double warm_s = settings_.warm_s / static_cast<double>(allocations.size());
  double shortest = 0;
  for (const Sides& sides : allocations) {
    for (const Subject& subject : sides) {
      const double run = warm(subject, warm_s);
      shortest = shortest == 0 ? run : std::min(shortest, run);
    }
  }
  return shortest;
}

int PairedSampler::choose_batch(std::span<const Sides> allocations, Regime regime,
                                double shortest_s) const {
  // All allocations hold the same problem.
  const bool repeatable = allocations[0][0].instance->repeatable();
  const bool allowed = regime == Regime::hot ? repeatable : stopwatch_.batches_cold();
  if (!allowed || shortest_s <= 0 || shortest_s >= settings_.batch_s) return 1;
  const int longest = regime == Regime::hot ? longest_hot_batch : longest_cold_batch;
  return std::min(longest, static_cast<int>(std::ceil(settings_.batch_s / shortest_s)));
}

Sample PairedSampler::take_sample(const Subject& subject, Regime regime, Measurement& result,
                                  bool& throttled) const {
  if (before_) before_(subject);
  Sample sample;
  sample.batch = result.batch;
  const long switches = load_.switches();
  const double begin = now_();
  sample.timing = stopwatch_.time(subject, regime, result.batch);
  result.load.timed_s += now_() - begin;
  sample.switches = load_.switches() - switches;
  result.load.switches += sample.switches;
  const ClockReading clock = clock_.read();
  sample.clock_mhz = clock.mhz;
  throttled = throttled || subject.instance->stream().ranks().any(clock.throttled);
  return sample;
}

// Two blocks, the second in the other order. They are kept or dropped together: half a pair would
// price the position as well.
void PairedSampler::take_pair(const Sides& sides, int allocation, int first_block, bool swapped,
                              Regime regime, Measurement& result) const {
  const std::size_t first = result.samples.size();
  bool throttled = false;
  for (int block = 0; block < 2; ++block) {
    for (std::size_t position = 0; position < sides.size(); ++position) {
      const bool other = sides.size() == 2 && swapped != (block == 1);
      const std::size_t side = other ? 1 - position : position;
      Sample sample = take_sample(sides[side], regime, result, throttled);
      sample.block = first_block + block;
      sample.position = static_cast<int>(position);
      sample.side = static_cast<int>(side);
      sample.allocation = allocation;
      result.samples.push_back(sample);
    }
  }
  for (std::size_t i = first; i < result.samples.size(); ++i) result.samples[i].kept = !throttled;
  (throttled ? result.dropped : result.blocks) += 2;
}

bool PairedSampler::precise(const Measurement& m, std::size_t sides, Looks& looks) const {
  if (rounds(m) < looks.next) return false;
  looks.next = 2 * rounds(m);
  const auto logs = m.pair_logs(&Timing::device_s, sides == 2 ? -1 : 0);
  const bool several = logs.size() > 1;
  const bool all_there =
      std::ranges::all_of(logs, [](const auto& pairs) { return pairs.size() >= 2; });
  if (!all_there || m.blocks < settings_.min_blocks) return false;
  const double half = several ? half_width_within(logs) : trimmed_mean(logs[0]).half_width();
  looks.narrow = half <= settings_.precision ? looks.narrow + 1 : 0;
  return looks.narrow >= (several ? 1 : 2);
}

std::optional<Stop> PairedSampler::reason_to_stop(const Measurement& m, std::size_t sides,
                                                  double elapsed, Looks& looks) const {
  if (precise(m, sides, looks)) return Stop::precise;
  if (m.blocks >= settings_.max_blocks) return Stop::blocks;
  if (m.dropped >= settings_.max_blocks) return Stop::throttled;
  const int units = m.allocations > 1 ? (rounds(m) > 0 ? m.allocations : 0) : rounds(m);
  const double share = sides == 1 ? by_itself : 1;
  if (units < fewest_units) {
    return elapsed >= share * settings_.patience_s() && m.blocks > 0 ? std::optional(Stop::time)
                                                                     : std::nullopt;
  }
  if (elapsed < share * settings_.seconds) return {};
  const bool may_go_on = sides == 2 && elapsed < settings_.seconds + settings_.spare_s;
  if (may_go_on && half_width(m.ratio(&Timing::device_s)) > settings_.wide) return {};
  return Stop::time;
}

Measurement PairedSampler::measure(std::span<const Sides> allocations, Regime regime) const {
  require(!allocations.empty(), "a measurement without data");
  const std::size_t sides = allocations[0].size();
  require(sides == 1 || sides == 2, "a block has one subject or two");
  Measurement result;
  result.allocations = static_cast<int>(allocations.size());
  result.batch = choose_batch(allocations, regime, warm_all(allocations));

  const LoadCounts before = load_.counts();
  std::mt19937_64 random(settings_.seed);
  Looks looks;
  // With one allocation its pairs are the units, and the first look is at the fewest of these.
  if (allocations.size() == 1) looks.next = fewest_units;
  const double begin = now_();
  int next_accept = settings_.min_blocks;
  std::optional<Stop> stop;
  for (int round = 0; !stop; ++round) {
    for (std::size_t i = 0; i < allocations.size(); ++i) {
      const bool swapped = (random() >> 63) != 0;
      take_pair(allocations[i], static_cast<int>(i), 2 * round, swapped, regime, result);
    }
    stop = reason_to_stop(result, sides, now_() - begin, looks);
    // A clock that stays low is the machine's clock now: both sides have it, and the row says so.
    if (result.blocks == 0 && result.dropped >= next_accept) {
      const Ranks& ranks = allocations[0][0].instance->stream().ranks();
      result.load.clock = std::min(result.load.clock, ranks.least(clock_.accept()));
      next_accept += settings_.min_blocks;
    }
  }
  result.stop = *stop;
  const LoadCounts after = load_.counts();
  result.load.wall_s = now_() - begin;
  result.load.steal_s = after.steal_s - before.steal_s;
  result.load.others_s = after.others_s - before.others_s;
  result.load.cpus = load_.cpus();
  result.load.threads = load_.threads();
  return result;
}

}  // namespace portcost
