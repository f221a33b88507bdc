// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos (The Kokkos Lectures, modules 2 and 4): a range
// over the systems, each a part of one View, without scratch; and a system a team.
#include "variants/gauss_batched/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::gauss_batched {

namespace {

using Space = KokkosSpace;

// All matrices as a View, a system an index of the first extent.
template <class T>
using Matrices = Kokkos::View<T***, Kokkos::LayoutRight, Space::memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class T>
void range(const Batch<T>& b, const Stream& stream) {
  const Matrices<T> a(b.a, b.count, b.n, b.n);
  Kokkos::parallel_for(
      "portcost::gauss_batched::usual",
      Kokkos::RangePolicy<Space>(kokkos_space(stream), 0, b.count), KOKKOS_LAMBDA(const int s) {
        for (int k = 0; k < b.n; ++k) {
          if (b.refuses(a(s, k, k))) {
            b.bad_pivot[s] = k;
            return;
          }
          const T inverse = reciprocal(a(s, k, k));
          for (int i = k + 1; i < b.n; ++i) {
            a(s, i, k) = multiplier(a(s, i, k), inverse);
            for (int j = k + 1; j < b.n; ++j) {
              a(s, i, j) = eliminate(a(s, i, j), a(s, i, k), a(s, k, j));
            }
          }
        }
      });
}

// A system a team, with the team size that Kokkos chooses; a row a thread.
template <class T>
void teams(const Batch<T>& b, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const Matrices<T> a(b.a, b.count, b.n, b.n);
  Kokkos::parallel_for(
      "portcost::gauss_batched::usual", Policy(kokkos_space(stream), b.count, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int s = team.league_rank();
        for (int k = 0; k < b.n; ++k) {
          if (b.refuses(a(s, k, k))) {
            Kokkos::single(Kokkos::PerTeam(team), [&] { b.bad_pivot[s] = k; });
            return;
          }
          const T inverse = reciprocal(a(s, k, k));
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, k + 1, b.n), [&](const int i) {
            a(s, i, k) = multiplier(a(s, i, k), inverse);
            for (int j = k + 1; j < b.n; ++j) {
              a(s, i, j) = eliminate(a(s, i, j), a(s, i, k), a(s, k, j));
            }
          });
          team.team_barrier();
        }
      });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "thread_each", f).written(Way::usual, dials);
  };
  return {usual("", [](const auto& b, const Stream& on) { range(b, on); }),
          usual("policy=team", [](const auto& b, const Stream& on) { teams(b, on); })};
}

}  // namespace portcost::gauss_batched
