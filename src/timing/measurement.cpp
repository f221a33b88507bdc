// SPDX-License-Identifier: Apache-2.0
#include "src/timing/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace portcost {

namespace {

// For each process the interquartile means of its allocations.
std::vector<std::vector<double>> means(const std::vector<std::vector<double>>& logs,
                                       int allocations) {
  std::vector<std::vector<double>> result(logs.size() / static_cast<std::size_t>(allocations));
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (logs[i].empty()) continue;
    std::vector<double>& process = result[i / static_cast<std::size_t>(allocations)];
    process.push_back(interquartile_mean(logs[i]).mean);
  }
  return result;
}

void add(Load& sum, const Load& load) {
  sum.wall_s += load.wall_s;
  sum.timed_s += load.timed_s;
  sum.switches += load.switches;
  sum.steal_s += load.steal_s;
  sum.others_s += load.others_s;
  sum.clock = std::min(sum.clock, load.clock);
}

}  // namespace

std::vector<double> Measurement::seconds(Clocked clock, int side) const {
  std::vector<double> result;
  for (const Sample& sample : samples) {
    if (sample.kept && sample.side == side) result.push_back(sample.timing.*clock);
  }
  return result;
}

std::pair<int, int> Measurement::not_queued_ahead(int side) const {
  std::pair<int, int> result{0, 0};
  for (const Sample& sample : samples) {
    if (!sample.kept || sample.side != side) continue;
    if (!sample.timing.queued_ahead) ++result.first;
    ++result.second;
  }
  return result;
}

std::vector<std::vector<double>> Measurement::pair_logs(Clocked clock, int side) const {
  std::vector<std::map<int, double>> sums(static_cast<std::size_t>(processes * allocations));
  for (const Sample& sample : samples) {
    if (!sample.kept || (side >= 0 && sample.side != side)) continue;
    const double time = sample.timing.*clock;
    require(time > 0, "the logarithm of a time that is not positive");
    const double sign = side < 0 && sample.side == 1 ? -1 : 1;
    // A pair has two blocks, so half of each is its part of the mean.
    const int list = sample.process * allocations + sample.allocation;
    sums.at(static_cast<std::size_t>(list))[sample.block / 2] += sign * std::log(time) / 2;
  }
  std::vector<std::vector<double>> result(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (const auto& [pair, log] : sums[i]) result[i].push_back(log);
  }
  return result;
}

Estimate Measurement::ratio(Clocked clock) const { return time(clock, -1); }

Estimate Measurement::time(Clocked clock, int side) const {
  return estimate(unit_logs(clock, side), processes == 1 ? Unit::allocation : Unit::process);
}

std::vector<std::vector<double>> Measurement::unit_logs(Clocked clock, int side) const {
  auto logs = pair_logs(clock, side);
  return processes == 1 || allocations == 1 ? logs : means(logs, allocations);
}

Measurement combined(std::span<const Measurement> processes) {
  require(!processes.empty(), "a measurement of no process");
  Measurement result;
  result.processes = static_cast<int>(processes.size());
  result.allocations = processes[0].allocations;
  result.stop = processes[0].stop;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const Measurement& one = processes[i];
    require(one.allocations == result.allocations, "processes with different allocations");
    for (Sample sample : one.samples) {
      sample.process = static_cast<int>(i);
      result.samples.push_back(sample);
    }
    result.batch = std::max(result.batch, one.batch);
    result.blocks += one.blocks;
    result.dropped += one.dropped;
    result.stop = std::max(result.stop, one.stop);
    add(result.load, one.load);
  }
  return result;
}

}  // namespace portcost
