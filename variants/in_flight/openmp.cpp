// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: a load is a line of the cache.
#include "variants/in_flight/host.hpp"

namespace portcost::in_flight {

namespace {

template <int loads>
void read(const Reading& s, const Stream&) {
  const Walk walk(s.n);
#pragma omp parallel for schedule(static)
  for (int w = 0; w < s.workers; ++w) read_lines<loads>(s, walk, w);
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "loads_1", [](const auto& s, const Stream& on) { read<1>(s, on); }),
          rung(works, "loads_2", [](const auto& s, const Stream& on) { read<2>(s, on); }),
          rung(works, "loads_4", [](const auto& s, const Stream& on) { read<4>(s, on); }),
          rung(works, "loads_8", [](const auto& s, const Stream& on) { read<8>(s, on); }),
          rung(works, "loads_16", [](const auto& s, const Stream& on) { read<16>(s, on); })};
}

}  // namespace portcost::in_flight
