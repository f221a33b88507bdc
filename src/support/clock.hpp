// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace portcost {

/// Seconds since some instant.
inline double steady_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds since it was made.
class Clock {
 public:
  double seconds() const { return steady_now() - start_; }

 private:
  double start_ = steady_now();
};

}  // namespace portcost
