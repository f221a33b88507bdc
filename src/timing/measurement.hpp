// SPDX-License-Identifier: Apache-2.0
// The samples of one measurement, of one process or of several, and what they say: a ratio or a
// time with its interval.
#pragma once

#include "src/statistics/statistics.hpp"
#include "src/timing/load_probe.hpp"
#include "src/timing/stopwatch.hpp"

namespace portcost {

/// One timed interval of one subject.
struct Sample {
  int block = 0;     // within its allocation; blocks 2k and 2k + 1 are a pair
  int position = 0;  // 0: first in its block
  int side = 0;      // index of the subject
  Timing timing;
  double clock_mhz = 0;
  int batch = 1;       // runs averaged
  bool kept = true;    // false: the processor was throttled during this pair of blocks
  int allocation = 0;  // which copy of the data
  long switches = 0;   // involuntary context switches meanwhile
  int process = 0;     // which run of the program
};

enum class Stop { precise, blocks, time, throttled };  // from best to worst
constexpr std::string_view name(Stop stop) {
  constexpr std::array<std::string_view, 4> names{"precise", "blocks", "time", "throttled"};
  return names.at(static_cast<std::size_t>(stop));
}

using Clocked = double Timing::*;

struct Measurement {
  std::vector<Sample> samples;
  int processes = 1;
  int allocations = 1;  // in each process
  int batch = 1;
  int blocks = 0;   // kept, over all allocations
  int dropped = 0;  // throttled
  Stop stop = Stop::blocks;
  Load load;

  /// The seconds of one side over the kept blocks, in the order measured.
  std::vector<double> seconds(Clocked clock, int side) const;

  /// Of one side's kept samples, how many were not queued ahead (Timing), and how many there are.
  std::pair<int, int> not_queued_ahead(int side) const;

  /// time(side 0) / time(side 1).
  Estimate ratio(Clocked clock) const;
  /// The time of one side. (Of several processes each is a unit, whose number is what it would
  /// report by itself: allocations of one process are not independent when processes differ.)
  Estimate time(Clocked clock, int side) const;

  /// The same of several processes: a list of numbers for each, else for each allocation.
  std::vector<std::vector<double>> unit_logs(Clocked clock, int side = -1) const;

  /// For each allocation of each process one number a kept pair of blocks: the mean over both
  /// blocks of the logarithm of the ratio (of the time of `side`, where that is not negative). Each
  /// order occurs once in a pair, so that what a position costs cancels.
  std::vector<std::vector<double>> pair_logs(Clocked clock, int side = -1) const;
};

/// The same measurement made by several processes, as one: their samples, their counts together, of
/// the reasons to stop the worst, of the batches the largest. All have as many allocations.
Measurement combined(std::span<const Measurement> processes);

}  // namespace portcost
