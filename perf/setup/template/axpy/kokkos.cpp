// SPDX-License-Identifier: Apache-2.0
// The step in Kokkos, three ways: as the tutorials teach it first (`usual`); and, one kernel
// compiled twice, by the book and tuned, with as many threads a team as the CUDA block has.
#include "axpy/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::axpy {

namespace {

template <class T, Way way>
struct Plain {
  using On = Teams<way, warps>;
  using Index = typename On::Index;
  Work<T> s;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    const std::uint64_t first = std::uint64_t{static_cast<unsigned>(team.league_rank())} * threads;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index slot) {
      const std::uint64_t i = first + static_cast<unsigned>(slot);
      if (i < s.n) s.out[i] = rule(s.a, s.x[i], s.y[i]);
    });
  }
};

template <class T>
void usual(const Work<T>& s, const Stream& on) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;  // the instance owns the memory
  const Kokkos::View<const T*, KokkosSpace::memory_space, Unmanaged> x(s.x, s.n), y(s.y, s.n);
  const Kokkos::View<T*, KokkosSpace::memory_space, Unmanaged> out(s.out, s.n);
  const T a = s.a;
  Kokkos::parallel_for(
      "portcost::axpy::usual", Kokkos::RangePolicy<KokkosSpace>(kokkos_space(on), 0, s.n),
      KOKKOS_LAMBDA(const int i) { out(i) = rule(a, x(i), y(i)); });
}

}  // namespace

Rungs kokkos_rungs() {
  const auto teams = []<class T>(auto way, const Work<T>& s, const Stream& on) {
    using Made = Plain<T, way.value>;
    const auto league = static_cast<int>(ceil_div(s.n, std::uint64_t{threads}));
    Kokkos::parallel_for("portcost::axpy::plain", Made::On::policy(on, league), Made{s});
  };
  const auto range = [](const auto& s, const Stream& on) { usual(s, on); };
  return joined({team_step(works, "plain", teams),  // two rungs: plain/kokkos, plain/kokkos.book
                 {rung(works, "plain", range).written(Way::usual)}});
}

}  // namespace portcost::axpy
