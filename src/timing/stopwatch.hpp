// SPDX-License-Identifier: Apache-2.0
// Times one piece of work by two clocks, in a stated cache regime.
#pragma once

#include "src/contract/algorithm.hpp"

namespace portcost {

class CacheFlush;

/// cold: the last cache holds none of the work's data. hot: the work has just run once.
enum class Regime { cold, hot };
constexpr std::string_view name(Regime regime) { return regime == Regime::cold ? "cold" : "hot"; }

/// Where the harness waits: once after the last phase, or after each phase (global synchronisation
/// by the host); transfers: once, after copying the inputs to the device, the run, and copying the
/// answer back (page-locked memory of the host).
enum class Sync { end, phase, transfers };
constexpr std::string_view name(Sync sync) {
  return sync == Sync::end ? "end" : sync == Sync::phase ? "phase" : "transfers";
}

/// What is timed: a variant on its instance.
struct Subject {
  Instance* instance = nullptr;
  Execution* execution = nullptr;
  Sync sync = Sync::end;

  /// Enqueues a complete run; waits between phases when asked to.
  void run() const;
};

/// Seconds for one run. `device_s`: from the first to the last instant the processor works on it.
/// `wall_s`: from the call on an idle processor to completion seen by the host; the difference is
/// what launching and waiting cost.
struct Timing {
  double device_s = 0;
  double wall_s = 0;
  /// False where the device waited for the host between launches, so that device_s holds launch
  /// gaps: the run waits for its own work (until convergence, say), or has more launches than a
  /// device queues, each shorter than it takes to enqueue.
  bool queued_ahead = true;
  /// Of work of several ranks: each one's own device seconds, of which device_s is the greatest.
  std::vector<double> ranks_s = {};
};

/// Work of several processes (Stream::ranks) begins behind a barrier and takes what its slowest
/// rank takes; work on several queues (Queues) lies between a fork from the stream and a join to
/// it.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// Times `batch` runs and divides by `batch`: hot, as one interval (the subject must be
  /// repeatable); cold, each after a flush of its own, so that what is averaged is cold too. A
  /// subject that is not repeatable is reset, untimed, before each run.
  virtual Timing time(const Subject& subject, Regime regime, int batch) = 0;
  /// Whether a flush is cheap enough here to batch cold runs.
  virtual bool batches_cold() const { return false; }
};

/// The stopwatch of a place: CUDA events and the host's clock, or the host's clock for both.
std::unique_ptr<Stopwatch> make_stopwatch(Stream& stream);

/// Waits for `stream`, does `work`, waits again. On the device the profiler is started and stopped
/// around it, so that a profiler that is off from the start (ncu --profile-from-start off) sees the
/// work's kernels and no others. Costs nothing when no profiler looks.
void profiled(const Stream& stream, const std::function<void()>& work);

namespace detail {
/// What comes before an interval, untimed: a reset where there must be one, and the cache made cold
/// or hot.
void prepare(const Subject& subject, Regime regime, CacheFlush& flush);
/// Of a device: two clocks, each read where it is honest. The device clock (events) times a run
/// queued behind a bounded delay, so that no gap between launches counts as work; the wall clock
/// times a run that starts on an idle device. Runs longer than 10 ms whose enqueueing takes less
/// than a hundredth of that, and runs that wait for their own work, are timed once by both.
std::unique_ptr<Stopwatch> make_device_stopwatch(Stream& stream);
/// Keeps one thread of the device busy for about `nanoseconds`; ends by itself, so a run that waits
/// inside cannot hang.
void enqueue_delay(unsigned nanoseconds, const Stream& stream);
/// The slowest rank's times, the same on all, so that all decide alike. Collective.
Timing slowest(const Timing& own, const Ranks& ranks);
}  // namespace detail

}  // namespace portcost
