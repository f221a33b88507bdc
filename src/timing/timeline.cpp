// SPDX-License-Identifier: Apache-2.0
#include "src/timing/timeline.hpp"

namespace portcost {

std::vector<Span> Timeline::spans() const {
  std::vector<Span> result;
  for (std::size_t i = 0; i < used_; ++i) {
    const Recorded& one = spans_[i];
    result.push_back(one.span);
    result.back().begin_s = one.begin.seconds_since(start_);
    result.back().end_s = one.end.seconds_since(start_);
  }
  return result;
}

}  // namespace portcost
