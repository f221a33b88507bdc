// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: a load is a line of the cache.
#include "variants/in_flight/host_bodies.hpp"

namespace portcost::in_flight {

namespace {

template <int loads>
void read(const Reading& s, const Stream&) {
  const Walk walk(s.n);
#pragma omp parallel for schedule(static)
  for (int worker = 0; worker < s.workers; ++worker) read_lines<loads>(s, walk, worker);
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "loads_1", read<1>), rung(works, "loads_2", read<2>),
          rung(works, "loads_4", read<4>), rung(works, "loads_8", read<8>),
          rung(works, "loads_16", read<16>)};
}

}  // namespace portcost::in_flight
