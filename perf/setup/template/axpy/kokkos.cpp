// SPDX-License-Identifier: Apache-2.0
// The step in Kokkos, three ways: as the tutorials teach it first (`usual`), by the book (`book`:
// plain Kokkos with as many threads a team as the CUDA block has), and tuned (`Plain`).
#include "axpy/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::axpy {

namespace {

template <class T>
using Numbers = Kokkos::View<T*, KokkosSpace::memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;  // the instance owns them

template <class T>
void usual(const Work<T>& s, const Stream& on) {
  const Numbers<const T> x(s.x, s.n), y(s.y, s.n);
  const Numbers<T> out(s.out, s.n);
  const T a = s.a;
  Kokkos::parallel_for(
      "portcost::axpy::usual", Kokkos::RangePolicy<KokkosSpace>(kokkos_space(on), 0, s.n),
      KOKKOS_LAMBDA(const int i) { out(i) = rule(a, x(i), y(i)); });
}

template <class T>
void book(const Work<T>& s, const Stream& on) {
  using Policy = Kokkos::TeamPolicy<KokkosSpace, Kokkos::LaunchBounds<threads>>;
  const Numbers<const T> x(s.x, s.n), y(s.y, s.n);
  const Numbers<T> out(s.out, s.n);
  const T a = s.a;
  const auto league = static_cast<int>(ceil_div(s.n, std::uint64_t{threads}));
  Kokkos::parallel_for(
      "portcost::axpy::book", Policy(kokkos_space(on), league, team_size(warps), 32),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * threads;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, int{threads}), [&](int slot) {
          const std::size_t i = first + static_cast<std::size_t>(slot);
          if (i < out.extent(0)) out(i) = rule(a, x(i), y(i));
        });
      });
}

template <class T>
struct Plain {
  using On = Teams<warps>;
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
void tuned(const Work<T>& s, const Stream& on) {
  const auto league = static_cast<int>(ceil_div(s.n, std::uint64_t{threads}));
  Kokkos::parallel_for("portcost::axpy::plain", Plain<T>::On::policy(on, league), Plain<T>{s});
}

}  // namespace

Rungs kokkos_rungs() {
  return {
      rung(works, "plain", [](const auto& s, const Stream& on) { tuned(s, on); }),
      rung(works, "plain", [](const auto& s, const Stream& on) { book(s, on); }).written(Way::book),
      rung(works, "plain", [](const auto& s, const Stream& on) {
        usual(s, on);
      }).written(Way::usual)};
}

}  // namespace portcost::axpy
