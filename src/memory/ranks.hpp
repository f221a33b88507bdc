// SPDX-License-Identifier: Apache-2.0
// The processes that work on one problem together.
#pragma once

namespace portcost {

/// As MPI numbers them. Every call but rank() and size() is collective: all ranks make it, in the
/// same order.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns when all ranks have called it.
  virtual void barrier() const = 0;
  /// The largest `seconds` of all ranks: what decides (times, when to stop) is then the same on
  /// all.
  virtual double slowest(double seconds) const = 0;
};

/// This process by itself.
const Ranks& alone();

}  // namespace portcost
