// SPDX-License-Identifier: Apache-2.0
// How much others took of the processors that this process may use.
#pragma once

#include "src/machine/machine.hpp"
#include "src/memory/stream.hpp"

namespace portcost {

/// What happened during one measurement.
struct Load {
  double wall_s = 0;
  long switches = 0;    // involuntary context switches within the timed intervals
  double timed_s = 0;   // length of those intervals together
  double steal_s = 0;   // time that the hypervisor gave to others, over all processors
  double others_s = 0;  // processor time of other processes, over all processors
  int cpus = 1;         // processors that this process may use
  int threads = 1;      // threads that the work asks for
  double clock = 1;     // where the clock stayed, as a fraction of the fastest seen before

  /// Why the times are not to be trusted, in a few words; empty when nothing disturbed them.
  std::string disturbance() const;
};

/// Counts since the start of the machine or the process.
struct LoadCounts {
  double steal_s = 0;
  double others_s = 0;
};

/// Counts the processors `cpus` in the text of /proc/stat, in seconds of `tick_s` each; of what
/// they worked `own_s` was this process.
LoadCounts count_load(const std::string& proc_stat, const std::vector<int>& cpus, double tick_s,
                      double own_s);

class LoadProbe {
 public:
  virtual ~LoadProbe() = default;
  /// Involuntary context switches of this process so far. Cheap: read around each sample.
  virtual long switches() = 0;
  /// Read around each measurement: the kernel counts in steps of 10 ms.
  virtual LoadCounts counts() = 0;
  virtual int cpus() const = 0;
  virtual int threads() const = 0;
};

/// The probe of this machine. On the device the host needs one processor only, on the host one for
/// each OpenMP thread. Of several ranks, those of this computer are counted as one process, on all
/// the processors that they may use; making it and counts() are then collective.
std::unique_ptr<LoadProbe> make_load_probe(Place place, const Ranks& ranks = alone());

/// Of this computer's ranks together: the processors that they may use, and their threads on
/// `place`. Collective.
Cpus cpus_of_node(Place place, const Ranks& ranks);

}  // namespace portcost
