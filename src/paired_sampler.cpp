// SPDX-License-Identifier: Apache-2.0
#include "src/paired_sampler.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "src/error.hpp"

namespace portcost {

namespace {

constexpr int fewest_blocks = 3;
constexpr int longest_hot_batch = 200;
constexpr int longest_cold_batch = 16;

template <class Field>
std::vector<double> seconds(const Measurement& measurement, int side, Field field) {
  std::vector<double> result;
  for (const Sample& sample : measurement.samples) {
    if (sample.kept && sample.side == side) result.push_back(sample.timing.*field);
  }
  return result;
}

// Logarithms of one subject's times about their median, so that one rule of stopping serves one
// subject and two.
std::vector<double> log_deviations(std::vector<double> times) {
  const double middle = std::log(median(times));
  for (double& t : times) t = std::log(t) - middle;
  return times;
}

}  // namespace

double steady_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<double> Measurement::device_s(int side) const {
  return seconds(*this, side, &Timing::device_s);
}
std::vector<double> Measurement::wall_s(int side) const {
  return seconds(*this, side, &Timing::wall_s);
}

void Measurement::append(const Measurement& other) {
  if (samples.empty()) {
    *this = other;
    return;
  }
  const int first = samples.back().block + 1;
  for (Sample sample : other.samples) {
    sample.block += first;
    samples.push_back(sample);
  }
  blocks += other.blocks;
  dropped += other.dropped;
  stop = std::max(stop, other.stop);
}

PairedSampler::PairedSampler(Stopwatch& stopwatch, ClockProbe& clock, SamplerSettings settings,
                             Now now)
    : stopwatch_(stopwatch), clock_(clock), settings_(settings), now_(std::move(now)) {}

// Runs until settled and returns the shortest run seen, in wall seconds.
double PairedSampler::warm(const Subject& subject, double& first_run_s) const {
  const double begin = now_();
  double shortest = 0;
  for (int run = 0;; ++run) {
    if (run == 0 || !subject.instance->repeatable()) subject.instance->reset();
    subject.instance->stream().synchronize();
    const double start = now_();
    subject.run();
    subject.instance->stream().synchronize();
    const double elapsed = now_() - start;
    if (run == 0) first_run_s = elapsed;
    shortest = run == 0 ? elapsed : std::min(shortest, elapsed);
    const bool enough_time = now_() - begin >= settings_.warm_s || run >= 20;
    if (run + 1 >= settings_.warm_runs && enough_time) return shortest;
    // Very long work settles by itself: one warm run is enough once it has filled the time three
    // times over.
    if (run >= 1 && now_() - begin >= 3 * settings_.warm_s) return shortest;
  }
}

int PairedSampler::choose_batch(std::span<const Subject> subjects, Regime regime,
                                double shortest_s) const {
  const bool repeatable = std::all_of(subjects.begin(), subjects.end(),
                                      [](const Subject& s) { return s.instance->repeatable(); });
  const bool allowed = regime == Regime::hot ? repeatable : stopwatch_.batches_cold();
  if (!allowed || shortest_s <= 0 || shortest_s >= settings_.batch_s) return 1;
  const int longest = regime == Regime::hot ? longest_hot_batch : longest_cold_batch;
  return std::min(longest, static_cast<int>(std::ceil(settings_.batch_s / shortest_s)));
}

bool PairedSampler::precise(const Measurement& measurement, std::size_t sides) const {
  const auto logs = sides == 2 ? log_ratios(measurement.device_s(0), measurement.device_s(1))
                               : log_deviations(measurement.device_s(0));
  return bootstrap_median(logs, settings_.seed, 0.95, 200).half_width() <= settings_.precision;
}

Measurement PairedSampler::measure(std::span<const Subject> subjects, Regime regime) const {
  require(subjects.size() == 1 || subjects.size() == 2, "a block has one subject or two");
  Measurement result;
  result.first_run_s.resize(subjects.size());
  double shortest = 0;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const double run = warm(subjects[i], result.first_run_s[i]);
    shortest = i == 0 ? run : std::min(shortest, run);
  }
  result.batch = choose_batch(subjects, regime, shortest);

  std::mt19937_64 random(settings_.seed);
  std::vector<int> order(subjects.size());
  const double begin = now_();
  for (int block = 0;; ++block) {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    if (order.size() == 2 && (random() >> 63) != 0) std::swap(order[0], order[1]);
    bool throttled = false;
    const std::size_t first = result.samples.size();
    for (std::size_t position = 0; position < order.size(); ++position) {
      Sample sample{block, static_cast<int>(position), order[position], {}, 0, result.batch, true};
      sample.timing =
          stopwatch_.time(subjects[static_cast<std::size_t>(sample.side)], regime, result.batch);
      const ClockReading clock = clock_.read();
      sample.clock_mhz = clock.mhz;
      throttled = throttled || clock.throttled;
      result.samples.push_back(sample);
    }
    // A pair is kept or dropped whole: dropping one side would break the pairing.
    for (std::size_t i = first; i < result.samples.size(); ++i) result.samples[i].kept = !throttled;
    ++(throttled ? result.dropped : result.blocks);

    const bool enough = result.blocks >= settings_.min_blocks;
    // The interval is looked at every few blocks only: it costs more than a short sample.
    if (enough && result.blocks % 8 == 0 && !throttled && precise(result, subjects.size())) {
      result.stop = Stop::precise;
      return result;
    }
    if (result.blocks >= settings_.max_blocks) {
      result.stop = Stop::blocks;
      return result;
    }
    const bool hopeless = result.dropped >= settings_.max_blocks ||
                          (result.blocks == 0 && result.dropped >= settings_.min_blocks);
    if (hopeless) {
      result.stop = Stop::throttled;
      return result;
    }
    if (now_() - begin >= settings_.seconds && result.blocks >= fewest_blocks) {
      result.stop = Stop::time;
      return result;
    }
  }
}

}  // namespace portcost
