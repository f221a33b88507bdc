// SPDX-License-Identifier: Apache-2.0
// The processes that work on one problem together.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portcost {

/// As MPI numbers them. Every call but rank() and size() is collective: all ranks make it, in the
/// same order. What a process by itself does (alone()) costs nothing.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  /// Returns when all ranks have called it.
  virtual void barrier() const {}
  /// The largest `seconds` of all ranks: what decides (times, when to stop) is then the same on
  /// all.
  virtual double slowest(double seconds) const { return seconds; }
  /// The value of each rank.
  virtual std::vector<double> gathered(double value) const { return {value}; }
  virtual std::vector<std::string> gathered(const std::string& text) const { return {text}; }
  /// What rank 0 gives.
  virtual std::string from_first(const std::string& text) const { return text; }
  /// Runs `f` on each rank; where it throws on some, all throw what the first of them threw, in
  /// words that name it.
  virtual void together(const std::function<void()>& f) const { f(); }
  /// Throws UsageError, which names a rank with another text than rank 0's, unless all have the
  /// same.
  virtual void require_equal(std::string_view, const std::string&) const {}
  /// How many of them share this computer's memory and processors.
  virtual int on_this_node() const { return 1; }

  bool is_first() const { return rank() == 0; }
  double least(double value) const { return -slowest(-value); }
  double sum(double value) const;
  bool any(bool mine) const { return slowest(mine ? 1 : 0) > 0; }
};

/// This process by itself.
const Ranks& alone();

}  // namespace portcost
