// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants: teams, and functors of up to 1 KiB passed as arguments by a hint.
#include <vector>

#include "variants/launches/problem.hpp"
#include "variants/shared/kokkos_team.hpp"

namespace portcost::launches {

namespace {

template <class Functor>
struct OfTeam {
  using On = Teams<threads / 32, 0, Lanes::one>;
  Functor map;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    using Index = typename On::Index;
    On::begin(team);
    const int first = team.league_rank() * int{threads};
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Index{threads}), [&](Index id) {
      const int i = first + static_cast<int>(id);
      if (i < map.n) map(i);
    });
  }
};

// A larger functor would go by global memory, which with launch bounds does not compile
// (Kokkos 4.6: CudaParallelLaunchKernelFunc::get_kernel_func returns a void*).
template <class Functor, class Policy>
auto hinted(const Policy& policy) {
  namespace Experimental = Kokkos::Experimental;
  if constexpr (sizeof(Functor) > 2048) {
    return policy;
  } else {
    return Experimental::require(policy, Experimental::WorkItemProperty::HintLightWeight);
  }
}

}  // namespace

Rungs kokkos_rungs() {
  const auto in_turn = [](const auto& then) {
    return [=](const Work& s, const Stream&) {
      with_functor(s, [&](const auto& map) {
        using Made = OfTeam<std::decay_t<decltype(map)>>;
        const auto policy_of = [&](int kernel) {
          return hinted<Made>(Made::On::policy(s.queue_of(kernel), ceil_div(s.n, int{threads})));
        };
        std::vector policies{policy_of(0)};
        for (int k = 1; k < s.streams; ++k) policies.push_back(policy_of(k));
        const Made made{map};
        for (int k = 0; k < s.kernels; ++k) {
          const auto& policy = policies[static_cast<std::size_t>(k % s.streams)];
          Kokkos::parallel_for("portcost::launches::in_turn", policy, made);
          then(policy.space());
        }
      });
    };
  };
  return {rung(works, "in_turn", in_turn([](const KokkosSpace&) {})),
          fenced_step("fence_instance", in_turn([](const KokkosSpace& space) { space.fence(); })),
          fenced_step("fence_device", in_turn([](const KokkosSpace&) { Kokkos::fence(); }))};
}

}  // namespace portcost::launches
