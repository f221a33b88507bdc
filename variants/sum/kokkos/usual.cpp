// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos (The Kokkos Lectures, modules 1 and 3): a
// parallel_reduce over all numbers, whose result is a View that the device writes, so that nothing
// waits. Each form stands beside the same form with its documented options set.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "variants/shared/kokkos_space.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

using Space = KokkosSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <class T>
using In = Kokkos::View<const T*, Space::memory_space, Unmanaged>;
template <class T>
using Out = Kokkos::View<T, Space::memory_space, Unmanaged>;

using DefaultRange = Kokkos::RangePolicy<Space>;  // counts in 32 bits on a GPU
using LongRange = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

template <class Policy, class T>
void one_by_one(const Numbers<T>& s, const Stream& stream) {
  using Index = typename Policy::index_type;
  const In<T> in(s.in, s.n);
  Kokkos::parallel_reduce(
      "portcost::sum::usual", Policy(kokkos_space(stream), 0, static_cast<Index>(s.n)),
      KOKKOS_LAMBDA(const Index i, T& total) { total += in(i); }, Out<T>(s.out));
}

// The numbers i, i + stride, ...: `items` of them an iteration, so that several loads are in
// flight, and neighbours in the range are neighbours in memory.
template <class Policy, int items, class T>
void several(const Numbers<T>& s, const Stream& stream) {
  using Index = typename Policy::index_type;
  const In<T> in(s.in, s.n);
  const auto n = static_cast<Index>(s.n);
  const auto stride = static_cast<Index>(ceil_div(s.n, std::uint64_t{items}));
  Kokkos::parallel_reduce(
      "portcost::sum::usual", Policy(kokkos_space(stream), 0, stride),
      KOKKOS_LAMBDA(const Index i, T& total) {
        T loaded[items];
#pragma unroll
        for (int k = 0; k < items; ++k) {
          const Index at = i + static_cast<Index>(k) * stride;
          loaded[k] = at < n ? in(at) : T(0);
        }
#pragma unroll
        for (int k = 0; k < items; ++k) total += loaded[k];
      },
      Out<T>(s.out));
}

// In Kokkos's default index type, where it holds all numbers and an iteration's indices past the
// end.
template <class T>
void range(const Numbers<T>& s, const Stream& stream) {
  const bool few = s.n < std::numeric_limits<int>::max();
  few ? one_by_one<DefaultRange>(s, stream) : one_by_one<LongRange>(s, stream);
}
template <int items, class T>
void range_of_several(const Numbers<T>& s, const Stream& stream) {
  const bool few = s.n <= std::numeric_limits<int>::max() - items;
  few ? several<DefaultRange, items>(s, stream) : several<LongRange, items>(s, stream);
}

// A chunk of numbers a team, with the team size that Kokkos chooses; at least one team, so that an
// empty sum is 0.
template <class T>
void teams(const Numbers<T>& s, const Stream& stream) {
  using Policy = Kokkos::TeamPolicy<Space>;
  constexpr std::uint64_t stretch = 4096;
  const In<T> in(s.in, s.n);
  const std::uint64_t n = s.n, count = std::max<std::uint64_t>(1, ceil_div(n, stretch));
  Kokkos::parallel_reduce(
      "portcost::sum::usual", Policy(kokkos_space(stream), static_cast<int>(count), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team, T& total) {
        const std::uint64_t begin = stretch * static_cast<std::uint64_t>(team.league_rank());
        T sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, static_cast<int>(compat::min(n - begin, stretch))),
            [&](const int i, T& into) { into += in(begin + static_cast<std::uint64_t>(i)); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { total += sum; });
      },
      Out<T>(s.out));
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto usual = [](std::string_view dials, const auto& f) {
    return rung(works, "reduce", f).written(Way::usual, dials);
  };
  return {
      usual("", [](const auto& s, const Stream& on) { range(s, on); }),
      usual("index=int64", [](const auto& s, const Stream& on) { one_by_one<LongRange>(s, on); }),
      usual("items=4", [](const auto& s, const Stream& on) { range_of_several<4>(s, on); }),
      usual("items=8", [](const auto& s, const Stream& on) { range_of_several<8>(s, on); }),
      usual("policy=team", [](const auto& s, const Stream& on) { teams(s, on); }),
  };
}

}  // namespace portcost::sum
