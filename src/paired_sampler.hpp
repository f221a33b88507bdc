// SPDX-License-Identifier: Apache-2.0
// Measures one or two subjects in blocks: each block times every subject once, in an order drawn
// for that block.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "src/clock_probe.hpp"
#include "src/statistics.hpp"
#include "src/stopwatch.hpp"

namespace portcost {

struct SamplerSettings {
  double seconds = 1;  // cap on the time spent on one measurement, warm-up apart
  double precision =
      0.0025;  // stop when the interval's half width, as a logarithm of the ratio, is under this
  int min_blocks = 16;
  int max_blocks = 400;
  int warm_runs = 3;        // and at least
  double warm_s = 0.05;     // this long, or 20 runs, whichever is first
  double batch_s = 100e-6;  // work shorter than this is timed in batches about this long
  std::uint64_t seed = 1;
};

/// One timed interval of one subject.
struct Sample {
  int block = 0;
  int position = 0;  // 0: first in its block
  int side = 0;      // index of the subject
  Timing timing;
  double clock_mhz = 0;
  int batch = 1;  // runs averaged
  bool kept =
      true;  // false: the processor was throttled during this block, so the whole block is dropped
};

enum class Stop { precise, blocks, time, throttled };  // from best to worst
constexpr std::string_view name(Stop stop) {
  switch (stop) {
    case Stop::precise:
      return "precise";
    case Stop::time:
      return "time";
    case Stop::blocks:
      return "blocks";
    case Stop::throttled:
      return "throttled";
  }
  return "?";
}

struct Measurement {
  std::vector<Sample> samples;
  std::vector<double> first_run_s;  // wall time of each subject's first run (module load, first
                                    // touch), not a sample
  int batch = 1;
  int blocks = 0;   // kept
  int dropped = 0;  // throttled
  Stop stop = Stop::blocks;

  /// Device (or wall) seconds of one side over the kept blocks, in block order.
  std::vector<double> device_s(int side) const;
  std::vector<double> wall_s(int side) const;

  /// Adds the blocks of another measurement of the same subjects, numbered on. The first runs and
  /// the batch stay the first's; of two reasons to stop the less satisfied one stands.
  void append(const Measurement& other);
};

/// Seconds since some instant; replaced by a fake in tests.
using Now = std::function<double()>;
double steady_now();

class PairedSampler {
 public:
  PairedSampler(Stopwatch& stopwatch, ClockProbe& clock, SamplerSettings settings,
                Now now = steady_now);

  /// One subject, or two to be compared. Stops by the first of: the interval of the device-time
  /// ratio (for one subject, of its median against itself) is narrow enough; `seconds` are spent;
  /// `max_blocks` are kept; as many blocks as `max_blocks` were dropped, or the first `min_blocks`
  /// all were. At least 3 blocks are always taken.
  Measurement measure(std::span<const Subject> subjects, Regime regime) const;

 private:
  double warm(const Subject& subject, double& first_run_s) const;
  int choose_batch(std::span<const Subject> subjects, Regime regime, double shortest_s) const;
  bool precise(const Measurement& measurement, std::size_t sides) const;

  Stopwatch& stopwatch_;
  ClockProbe& clock_;
  SamplerSettings settings_;
  Now now_;
};

}  // namespace portcost
