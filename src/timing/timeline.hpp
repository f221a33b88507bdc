// SPDX-License-Identifier: Apache-2.0
// When the copies and kernels of one run began and ended, by an event before and after each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/memory/stream.hpp"

namespace portcost {

/// One copy or kernel: what it is, of which piece of the data, on which queue, and when, in seconds
/// from the start. `begin_s` is when its queue had got there: work that then waited for a copy
/// engine, or for multiprocessors busy with another queue's work, has begun by this clock.
struct Span {
  std::string_view what;  // a literal
  std::int64_t piece = 0;
  int queue = 0;
  double begin_s = 0, end_s = 0;
};

/// Records the spans of a run, in the order of the calls. Recording takes time of its own, so a run
/// is a little longer than without, and a first one, which makes the events, much longer.
class Timeline {
 public:
  explicit Timeline(Place place) : place_(place), start_(place, true) {}

  /// The moment that times are counted from; what was recorded before is forgotten.
  void start(const Stream& main) {
    used_ = 0;
    start_.record(main.native());
  }
  /// Calls work(), which enqueues one piece of work on `native` (a cudaStream_t; null on the host).
  template <class Work>
  void record(std::string_view what, std::int64_t piece, int queue, CUstream_st* native,
              const Work& work) {
    if (used_ == spans_.size()) spans_.push_back({{}, Event(place_, true), Event(place_, true)});
    Recorded& one = spans_[used_++];
    one.span = {what, piece, queue};
    one.begin.record(native);
    work();
    one.end.record(native);
  }
  /// Waits for the work.
  std::vector<Span> spans() const {
    std::vector<Span> result;
    for (std::size_t i = 0; i < used_; ++i) {
      const Recorded& one = spans_[i];
      result.push_back(one.span);
      result.back().begin_s = one.begin.seconds_since(start_);
      result.back().end_s = one.end.seconds_since(start_);
    }
    return result;
  }

 private:
  struct Recorded {
    Span span;
    Event begin, end;
  };

  Place place_;
  Event start_;
  std::vector<Recorded> spans_;  // the first `used_` are of this run
  std::size_t used_ = 0;
};

}  // namespace portcost
