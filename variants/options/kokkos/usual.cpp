// SPDX-License-Identifier: Apache-2.0
// Portable variants as tutorials first teach Kokkos: a parallel_reduce over paths or groups of them
// into a struct of two sums, which a View receives, so that nothing waits.
#include <cstdint>

#include "variants/options/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::options {

namespace {

using Out = Kokkos::View<Sums, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <bool fast, class Index, class T>
void paths(const Simulation<T>& s, const Stream& on) {
  Kokkos::parallel_reduce(
      "portcost::options::one_path::usual",
      RangeOf<Index>(kokkos_space(on), Index{0}, static_cast<Index>(s.paths)),
      KOKKOS_LAMBDA(const Index path, Sums& sums) {
        sums.add(payoff_of_path<fast>(s.terms, static_cast<std::uint64_t>(path)));
      },
      Out(s.out));
}

template <bool fast, class Index, class T>
void groups(const Simulation<T>& s, const Stream& on) {
  Kokkos::parallel_reduce(
      "portcost::options::many_paths::usual",
      RangeOf<Index>(kokkos_space(on), Index{0}, static_cast<Index>(groups_of<T>(s.paths))),
      KOKKOS_LAMBDA(const Index group, Sums& sums) {
        constexpr int many = paths_of_a_group<T>;
        const auto first = static_cast<std::uint64_t>(group) * many;
        const Payoffs<T> paid = payoffs<fast>(s.terms, static_cast<std::uint64_t>(group));
        for (int i = 0; i < many; ++i) {
          if (first + static_cast<std::uint64_t>(i) < s.paths) sums.add(paid.at[i]);
        }
      },
      Out(s.out));
}

// f(fast, Index{0}): in 32 bits, Kokkos's default on a GPU, where these are enough.
template <class T, class F>
void by_default(const Simulation<T>& s, const F& f) {
  with_math<kokkos_shapes>(s, [&](auto fast) {
    with_index(static_cast<std::int64_t>(s.paths), [&](auto index) { f(fast, index); });
  });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  return {rung(works, "one_path",
               [](const auto& s, const Stream& on) {
                 by_default(s, [&](auto fast, auto index) {
                   paths<decltype(fast)::value, decltype(index)>(s, on);
                 });
               })
              .written(Way::usual)
              .unless(no_fast_functions<kokkos_shapes>),
          rung(works, "one_path",
               [](const auto& s, const Stream& on) {
                 with_math<kokkos_shapes>(
                     s, [&](auto fast) { paths<decltype(fast)::value, std::int64_t>(s, on); });
               })
              .written(Way::usual, "index=int64")
              .unless(no_fast_functions<kokkos_shapes>),
          rung(works, "many_paths",
               [](const auto& s, const Stream& on) {
                 by_default(s, [&](auto fast, auto index) {
                   groups<decltype(fast)::value, decltype(index)>(s, on);
                 });
               })
              .written(Way::usual)
              .unless(no_fast_functions<kokkos_shapes>)};
}

}  // namespace portcost::options
