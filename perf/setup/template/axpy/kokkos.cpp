// SPDX-License-Identifier: Apache-2.0
// The step in Kokkos, twice: tuned (as many threads a team as the CUDA block has), and as the
// tutorials teach it first.
#include "axpy/problem.hpp"
#include "variants/kokkos_legacy.hpp"

namespace portcost::axpy {

namespace {

template <class T>
struct Plain {
  Work<T> s;

  KOKKOS_FUNCTION void operator()(const Member<warps>& team) const {
    assume_team_size<warps>(team);
    const std::uint64_t first = std::uint64_t{static_cast<unsigned>(team.league_rank())} * threads;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, RangeIndex{threads}), [&](RangeIndex slot) {
      const std::uint64_t i = first + static_cast<unsigned>(slot);
      if (i < s.n) s.out[i] = rule(s.a, s.x[i], s.y[i]);
    });
  }
};

template <class T>
void usual(const Work<T>& s, const Stream& on) {
  Kokkos::parallel_for(
      "portcost::axpy::usual", Kokkos::RangePolicy<KokkosSpace>(kokkos_space(on), 0, s.n),
      KOKKOS_LAMBDA(std::int64_t i) { s.out[i] = rule(s.a, s.x[i], s.y[i]); });
}

}  // namespace

Rungs kokkos_rungs() {
  const auto tuned = [](const auto& s, const Stream& on) {
    const auto league = static_cast<int>(ceil_div(s.n, std::uint64_t{threads}));
    Kokkos::parallel_for("portcost::axpy::plain", team_policy<warps>(on, league), Plain{s});
  };
  const auto as_taught = [](const auto& s, const Stream& on) { usual(s, on); };
  return {rung(works, "plain", tuned), rung(works, "plain", as_taught).written(Way::usual)};
}

}  // namespace portcost::axpy
