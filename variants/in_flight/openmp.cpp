// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: a load is a line of the cache.
#include "variants/in_flight/problem.hpp"

namespace portcost::in_flight {

namespace {

// Adds what lies in `loads` lines, all of whose addresses are known before the first is read.
template <int loads>
std::uint32_t read_lines(const Reading& s, const Walk& walk, std::int64_t first,
                         std::int64_t last) {
  std::uint32_t sums[line] = {};
  const auto add = [&](const std::int32_t* from) {
    for (int j = 0; j < line; ++j) sums[j] += static_cast<std::uint32_t>(from[j]);
  };
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
    add(s.a + at * line);
    at = walk.next(at);
  }
  std::uint32_t sum = 0;
  for (const std::uint32_t one : sums) sum += one;
  return sum;
}

template <int loads>
void read(const Reading& s, const Stream&) {
  const Walk walk(s.n);
#pragma omp parallel for schedule(static)
  for (int w = 0; w < s.workers; ++w) {
    std::uint32_t sum = read_lines<loads>(s, walk, first_line(walk.lines, w, s.workers),
                                          first_line(walk.lines, w + 1, s.workers));
    if (w == s.workers - 1) {
      for (std::int64_t i = walk.lines * line; i < s.n; ++i) {
        sum += static_cast<std::uint32_t>(s.a[i]);
      }
    }
    s.sums[w] = sum;
  }
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "loads_1", read<1>), rung(works, "loads_2", read<2>),
          rung(works, "loads_4", read<4>), rung(works, "loads_8", read<8>),
          rung(works, "loads_16", read<16>)};
}

}  // namespace portcost::in_flight
