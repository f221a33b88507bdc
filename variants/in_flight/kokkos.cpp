// SPDX-License-Identifier: Apache-2.0
// Portable variants: as many teams as make the given threads, all of which are there at the same
// time.
#include "variants/in_flight/kokkos/workers.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::in_flight {

namespace {

// As many as fill a multiprocessor fit there.
using Full = Teams<warps, most_threads / threads>;

template <int loads>
struct Read {
  using On = Full;
  Workers workers;

  KOKKOS_FUNCTION void operator()(const On::Member& team) const {
    On::begin(team);
    workers.read_by<loads, On>(team);
  }
};

template <int loads>
void read(const Reading& s, const Stream& stream) {
  const Workers workers(s);
  Kokkos::parallel_for("portcost::in_flight::read", Full::policy(stream, workers.league()),
                       Read<loads>{workers});
}

}  // namespace

Rungs kokkos_rungs() {
  Rungs result{rung(works, "loads_1", read<1>), rung(works, "loads_2", read<2>),
               rung(works, "loads_4", read<4>), rung(works, "loads_8", read<8>),
               rung(works, "loads_16", read<16>)};
  for (Rung& one : result) one.unfit = Workers::unfit;
  return result;
}

}  // namespace portcost::in_flight
