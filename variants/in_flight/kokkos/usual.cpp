// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first: a RangePolicy over the threads. Kokkos
// chooses the size of its blocks, and so on how many multiprocessors few threads are.
#include "variants/in_flight/kokkos/workers.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::in_flight {

namespace {

template <int loads, class Index, class Policy>
void range(const Reading& s, const Stream& stream) {
  const Workers workers(s);
  Kokkos::parallel_for(
      "portcost::in_flight::usual", Policy(kokkos_space(stream), 0, s.workers),
      KOKKOS_LAMBDA(const Index worker) { workers.template read<loads>(worker); });
}

template <int loads>
Rungs with_loads(std::string_view step) {
  using Wide = RangeOf<std::int64_t>;
  return {
      rung(works, step, range<loads, int, Kokkos::RangePolicy<KokkosSpace>>).written(Way::usual),
      rung(works, step, range<loads, std::int64_t, Wide>).written(Way::usual, "index=int64")};
}

}  // namespace

Rungs kokkos_usual_rungs() {
  Rungs result =
      joined({with_loads<1>("loads_1"), with_loads<2>("loads_2"), with_loads<4>("loads_4"),
              with_loads<8>("loads_8"), with_loads<16>("loads_16")});
  for (Rung& one : result) one.unfit = Workers::unfit;
  return result;
}

}  // namespace portcost::in_flight
