// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos: ranges over Views. An index adds a lane and
// leaves it in memory, an index of a second range joins a team's lanes, and one index the teams.
#include <cstdint>

#include "variants/shared/kokkos_space.hpp"
#include "variants/summation/problem.hpp"

namespace portcost::summation {

namespace {

template <class T>
using Vector = Kokkos::View<T*, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using Range = Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<std::int64_t>>;

template <class Step, class T>
void add(Step, const Numbers<T>& s, const Stream& on) {
  using Sum = typename Step::template Of<T>;
  const Vector<T> out(s.out, 2);
  const auto add_teams = [&](const Launched<T>& one, int teams) {
    const std::uint64_t rows = one.rows, n = one.n;
    const Vector<const T> in(one.in, n);
    const auto all = static_cast<std::size_t>(teams) * row<T>;
    const Vector<Sum> of_lanes(static_cast<Sum*>(s.lanes), all);
    const Vector<Sum> partials(static_cast<Sum*>(one.partials), static_cast<std::size_t>(teams));
    Kokkos::parallel_for(
        "portcost::summation::usual::lanes", Range(kokkos_space(on), 0, all),
        KOKKOS_LAMBDA(const std::int64_t lane) {
          constexpr std::uint64_t width = row<T>;
          const auto at = static_cast<std::uint64_t>(lane);
          const std::uint64_t first = at / width * rows * width + at % width;
          const std::uint64_t end = compat::min(n, first + rows * width);
          const auto number = [&](std::uint64_t i) { return i < end ? in(i) : T(0); };
          Sum sum;
          if constexpr (Step::pairs) {
            T of[pair_rows];
            for (unsigned k = 0; k < pair_rows; ++k) of[k] = number(first + k * width);
            sum.sum = add_pairs(of);
          } else {
            for (std::uint64_t i = first; i < end; i += width) sum.add(number(i));
          }
          of_lanes(at) = sum;
        });
    Kokkos::parallel_for(
        "portcost::summation::usual::teams", Range(kokkos_space(on), 0, teams),
        KOKKOS_LAMBDA(const std::int64_t team) {
          constexpr unsigned each = lanes_of_a_thread<T>;
          Sum* const mine = &of_lanes(static_cast<std::size_t>(team) * row<T>);
          for (unsigned thread = 0; thread < threads; ++thread) {
            Step::template join<each>(mine + thread * each);
            mine[thread] = mine[thread * each];
          }
          Step::template join<threads>(mine);
          if (teams == 1) {
            mine[0].store(out.data());
          } else {
            partials(team) = mine[0];
          }
        });
  };
  launch_all(Step(), s, add_teams, [&](const Sum*, int teams) {
    const Vector<Sum> partials(static_cast<Sum*>(s.partials[0]), static_cast<std::size_t>(teams));
    Kokkos::parallel_for(
        "portcost::summation::usual::partials", Range(kokkos_space(on), 0, 1),
        KOKKOS_LAMBDA(const std::int64_t) {
          const int most = static_cast<int>(most_teams);
          for (int half = most / 2; Step::tree && half > 0; half /= 2) {
            for (int i = 0; i < half && i + half < teams; ++i) {
              partials(i).join(partials(i + half));
            }
          }
          for (int i = 1; !Step::tree && i < teams; ++i) partials(0).join(partials(i));
          partials(0).store(out.data());
        });
  });
}

template <class T>
void add(Serial, const Numbers<T>& s, const Stream& on) {
  const Vector<const T> in(s.in, s.n);
  const Vector<T> out(s.out, 2);
  Kokkos::parallel_for(
      "portcost::summation::usual::serial", Range(kokkos_space(on), 0, 1),
      KOKKOS_LAMBDA(const std::int64_t) {
        Plain<T> sum;
        for (std::size_t i = 0; i < in.extent(0); ++i) sum.add(in(i));
        sum.store(out.data());
      });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  return each_method([]<class Step>(Step, std::string_view name) {
    const auto usual = [&](std::string_view dials, const auto& f) {
      return rung(works, name, f).written(Way::usual, dials);
    };
    return usual("", [](const auto& s, const Stream& on) { add(Step(), s, on); });
  });
}

}  // namespace portcost::summation
