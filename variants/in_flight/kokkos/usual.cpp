// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first: a RangePolicy over the threads. Kokkos
// chooses the size of its blocks, and so on how many multiprocessors few threads are.
#include "variants/in_flight/kokkos/workers.hpp"

namespace portcost::in_flight {

namespace {

template <int loads>
void range(const Reading& s, const Stream& stream) {
  const Workers workers(s);
  Kokkos::parallel_for(
      "portcost::in_flight::usual",
      Kokkos::RangePolicy<KokkosSpace>(kokkos_space(stream), 0, s.workers),
      KOKKOS_LAMBDA(const int worker) { workers.template read<loads>(worker); });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  Rungs result{rung(works, "loads_1", range<1>).written(Way::usual),
               rung(works, "loads_2", range<2>).written(Way::usual),
               rung(works, "loads_4", range<4>).written(Way::usual),
               rung(works, "loads_8", range<8>).written(Way::usual),
               rung(works, "loads_16", range<16>).written(Way::usual)};
  for (Rung& one : result) one.unfit = Workers::unfit;
  return result;
}

}  // namespace portcost::in_flight
