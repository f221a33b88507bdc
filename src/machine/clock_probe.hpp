// SPDX-License-Identifier: Apache-2.0
// Reads how fast the processor runs, and whether it is being held back. Never changes a setting.
#pragma once

#include <memory>

#include "src/memory/place.hpp"

namespace portcost {

struct ClockReading {
  double mhz = 0;          // 0: cannot be read here
  bool throttled = false;  // by heat, power or the hardware's own protection
};

/// What was read so far, to hold a reading against.
class FastestClock {
 public:
  void note(double mhz);
  /// Whether it is under 0.8 of the fastest noted.
  bool is_behind(double mhz) const;
  /// As ClockProbe::accept, for the clock noted last.
  double accept();

 private:
  double last_ = 0, fastest_ = 0;
};

class ClockProbe {
 public:
  virtual ~ClockProbe() = default;
  /// The state now. Called between timed intervals, so it may take a little time.
  virtual ClockReading read() = 0;
  /// From now on the last reading is what others are compared with, as when the processor stays
  /// slower. Returns its fraction of the fastest seen until then.
  virtual double accept() { return seen_.accept(); }

 protected:
  FastestClock seen_;
};

/// Device: NVML's multiprocessor clock; throttled when NVML gives a reason for slowing down and the
/// clock is under 0.8 of the fastest seen. Host: the rate of a chain of dependent additions, one a
/// cycle; throttled when it falls under 0.8 of the fastest seen.
std::unique_ptr<ClockProbe> make_clock_probe(Place place);

/// The driver's version ("580.159.04"), or empty when NVML does not answer.
std::string driver_version();

}  // namespace portcost
