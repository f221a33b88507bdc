// SPDX-License-Identifier: Apache-2.0
// What OpenMP's code and the tuned kernels do alike on a host.
#pragma once

#include "variants/in_flight/problem.hpp"

namespace portcost::in_flight {

/// What one thread of all reads: lines, all of whose addresses are known before the first of
/// `loads` is read.
template <int loads>
PORTCOST_HOST_DEVICE void read_lines(const Reading& s, const Walk& walk, int worker) {
  const std::int64_t first = first_line(walk.lines, worker, s.workers);
  const std::int64_t last = first_line(walk.lines, worker + 1, s.workers);
  std::uint32_t sums[line] = {};
  std::int64_t at = first < last ? walk.begin(first) : 0, i = first;
  for (; last - i >= loads; i += loads) {
    const std::int32_t* from[loads];
    for (int k = 0; k < loads; ++k) {
      from[k] = s.a + at * line;
      at = walk.next(at);
    }
    std::uint32_t all = 0;
    for (int k = 0; k < loads; ++k) all |= static_cast<std::uint32_t>(from[k][0]);
    // The lines inside: g++ takes apart the inner loop, and adds a line number by number with it.
    for (int j = 0; j < line; ++j) {
      for (int k = 0; k < loads; ++k) sums[j] += static_cast<std::uint32_t>(from[k][j]);
    }
    at += no_step(all);
  }
  for (; i < last; ++i) {
    for (int j = 0; j < line; ++j) sums[j] += static_cast<std::uint32_t>(s.a[at * line + j]);
    at = walk.next(at);
  }
  std::uint32_t sum = 0;
  for (int j = 0; j < line; ++j) sum += sums[j];
  if (worker == s.workers - 1) {
    for (std::int64_t rest = walk.lines * line; rest < s.n; ++rest) {
      sum += static_cast<std::uint32_t>(s.a[rest]);
    }
  }
  s.sums[worker] = sum;
}

}  // namespace portcost::in_flight
