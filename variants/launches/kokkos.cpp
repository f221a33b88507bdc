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

// Kernel k goes to spaces[k % count], and then(space) follows.
template <class Then>
void launch_all(const Work& s, const std::vector<KokkosSpace>& spaces, const Then& then) {
  with_functor(s, [&](const auto& map) {
    using Made = OfTeam<std::decay_t<decltype(map)>>;
    using Policy = decltype(hinted<Made>(Made::On::policy(spaces[0], 1)));
    std::vector<Policy> policies;
    for (const KokkosSpace& space : spaces) {
      policies.push_back(hinted<Made>(Made::On::policy(space, ceil_div(s.n, int{threads}))));
    }
    const Made made{map};
    for (int k = 0; k < s.kernels; ++k) {
      const std::size_t at = static_cast<std::size_t>(k) % spaces.size();
      Kokkos::parallel_for("portcost::launches::in_turn", policies[at], made);
      then(spaces[at]);
    }
  });
}

template <class Fence>
Rung fenced(std::string_view step, const Fence& fence) {
  return fenced_step(step, [=](const Work& s, const Queues& queues) {
    std::vector<KokkosSpace> spaces;
    for (int i = 0; i < queues.size(); ++i) spaces.push_back(kokkos_space(queues[i]));
    launch_all(s, spaces, fence);
  });
}

}  // namespace

Rungs kokkos_rungs() {
  return {rung(works, "in_turn",
               [](const Work& s, const Stream& on) {
                 launch_all(s, {kokkos_space(on)}, [](const KokkosSpace&) {});
               })
              .unless(one_stream),
          fenced("fence_instance", [](const KokkosSpace& space) { space.fence(); }),
          fenced("fence_device", [](const KokkosSpace&) { Kokkos::fence(); })};
}

}  // namespace portcost::launches
