// SPDX-License-Identifier: Apache-2.0
// Portable variants: as many teams as make the given threads, all of which are there at the same
// time.
#include "variants/in_flight/kokkos/workers.hpp"
#include "variants/in_flight/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::in_flight {

namespace {

// As many as fill a multiprocessor fit there.
template <Way way>
using Full = Teams<way, warps, most_threads / threads>;

template <int loads, Way way>
struct Read {
  using On = Full<way>;
  Workers workers;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    workers.template read_by<loads, On>(team);
  }
};

template <int loads, Way way>
void read(const Reading& s, const Stream& stream) {
  const Workers workers(s);
  Kokkos::parallel_for("portcost::in_flight::read", Full<way>::policy(stream, workers.league()),
                       Read<loads, way>{workers});
}

}  // namespace

Rungs kokkos_rungs() {
  Rungs result = joined(
      {team_step(works, "loads_1",
                 [](auto way, const auto& s, const Stream& on) { read<1, way.value>(s, on); }),
       team_step(works, "loads_2",
                 [](auto way, const auto& s, const Stream& on) { read<2, way.value>(s, on); }),
       team_step(works, "loads_4",
                 [](auto way, const auto& s, const Stream& on) { read<4, way.value>(s, on); }),
       team_step(works, "loads_8",
                 [](auto way, const auto& s, const Stream& on) { read<8, way.value>(s, on); }),
       team_step(works, "loads_16",
                 [](auto way, const auto& s, const Stream& on) { read<16, way.value>(s, on); })});
  for (Rung& one : result) one.unfit = Workers::unfit;
  return result;
}

}  // namespace portcost::in_flight
