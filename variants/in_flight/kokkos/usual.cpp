// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first: a RangePolicy over the threads. Kokkos
// chooses the size of its blocks, and so on how many multiprocessors few threads are.
#include "variants/in_flight/kokkos/workers.hpp"
#include "variants/in_flight/problem.hpp"

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
  return {rung(works, "loads_1", [](const auto& s, const Stream& on) { range<1>(s, on); })
              .written(Way::usual)
              .unless(Workers::unfit),
          rung(works, "loads_2", [](const auto& s, const Stream& on) { range<2>(s, on); })
              .written(Way::usual)
              .unless(Workers::unfit),
          rung(works, "loads_4", [](const auto& s, const Stream& on) { range<4>(s, on); })
              .written(Way::usual)
              .unless(Workers::unfit),
          rung(works, "loads_8", [](const auto& s, const Stream& on) { range<8>(s, on); })
              .written(Way::usual)
              .unless(Workers::unfit),
          rung(works, "loads_16", [](const auto& s, const Stream& on) { range<16>(s, on); })
              .written(Way::usual)
              .unless(Workers::unfit)};
}

}  // namespace portcost::in_flight
