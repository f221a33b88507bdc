// SPDX-License-Identifier: Apache-2.0
// Measures one or two subjects in blocks, each of which times every subject once. Blocks come in
// pairs, one in each order.
#pragma once

#include "src/machine/clock_probe.hpp"
#include "src/support/clock.hpp"
#include "src/timing/measurement.hpp"

namespace portcost {

struct SamplerSettings {
  double seconds = 0.75;      // cap on the time spent on one measurement, warm-up apart; half of
                              // it for a subject alone
  double precision = 0.0025;  // blocks are enough when they alone would give an interval with this
                              // half width, as a logarithm of the ratio
  int min_blocks = 16;
  int max_blocks = 400;     // over all allocations
  int warm_runs = 3;        // and at least
  double warm_s = 0.05;     // this long over all allocations, or 20 runs, whichever is first
  double batch_s = 100e-6;  // work shorter than this is timed in batches about this long
  std::uint64_t seed = 1;   // of the order
  double spare_s = 0;       // of a pair, beyond `seconds`, while its interval is wider than this:
  double wide = 0.01;       // half width, as a logarithm of the ratio

  /// The longest time that the blocks which an interval needs may take.
  double patience_s() const { return 3 * seconds; }
};

/// Seconds since some instant; replaced by a fake in tests.
using Now = std::function<double()>;

class PairedSampler {
 public:
  /// One subject, or two to be compared, on one copy of the data.
  using Sides = std::vector<Subject>;
  /// Receives which subject is run next, outside of what is timed.
  using Before = std::function<void(const Subject&)>;

  PairedSampler(Stopwatch& stopwatch, ClockProbe& clock, LoadProbe& load, SamplerSettings settings,
                Now now = steady_now, Before before = {});

  /// Takes rounds of a pair of blocks on every allocation, in an order drawn for each pair. Stops,
  /// after a full round, by the first of: the blocks are precise enough; `max_blocks` are kept;
  /// `seconds` are spent, there are as many units as an interval needs, and the interval is narrow
  /// or `spare_s` are spent, too; patience_s() are spent without as many units; as many blocks as
  /// `max_blocks` were dropped. When the first `min_blocks` were all
  /// dropped, the clock that they had is accepted.
  ///
  /// "Precise enough" is looked at each time the number of rounds has doubled. With several
  /// allocations it asks for the spread within them alone, which says nothing about how far their
  /// means lie apart, so that stopping does not narrow the interval made from these. With one, the
  /// interval itself must be narrow at two looks in a row: at one it may be so by chance.
  Measurement measure(std::span<const Sides> allocations, Regime regime) const;

 private:
  struct Looks {
    int next = 2, narrow = 0;
  };

  double warm(const Subject& subject, double warm_s) const;
  double warm_all(std::span<const Sides> allocations) const;
  int choose_batch(std::span<const Sides> allocations, Regime regime, double shortest_s) const;
  void take_pair(const Sides& sides, int allocation, int first_block, bool swapped, Regime regime,
                 Measurement& result) const;
  Sample take_sample(const Subject& subject, Regime regime, Measurement& result,
                     bool& throttled) const;
  bool precise(const Measurement& measurement, std::size_t sides, Looks& looks) const;
  std::optional<Stop> reason_to_stop(const Measurement& measurement, std::size_t sides,
                                     double elapsed, Looks& looks) const;

  Stopwatch& stopwatch_;
  ClockProbe& clock_;
  LoadProbe& load_;
  SamplerSettings settings_;
  Now now_;
  Before before_;
};

}  // namespace portcost
