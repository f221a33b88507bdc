// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first: a RangePolicy, launched in turn or as a
// graph. Kokkos passes a functor as an argument, by constant or by global memory; hints choose.
#include "variants/launches/problem.hpp"
#include "variants/shared/kokkos_graph.hpp"

namespace portcost::launches {

namespace {

template <class Functor>
struct OfIndex {
  Functor map;
  KOKKOS_FUNCTION void operator()(int i) const { map(i); }
};

// f(policy, functor) with the policy of `hinted`(RangePolicy).
template <class Hinted, class F>
void with_policy(const Work& s, const Stream& on, const Hinted& hinted, const F& f) {
  with_functor(s, [&](const auto& map) {
    f(hinted(Kokkos::RangePolicy<KokkosSpace>(kokkos_space(on), 0, s.n)),
      OfIndex<std::decay_t<decltype(map)>>{map});
  });
}

template <class Hinted>
Rung in_turn(std::string_view dials, const Hinted& hinted) {
  return rung(works, "in_turn",
              [=](const Work& s, const Stream& on) {
                with_policy(s, on, hinted, [&](const auto& policy, const auto& map) {
                  for (int k = 0; k < s.kernels; ++k) {
                    Kokkos::parallel_for("portcost::launches::usual", policy, map);
                  }
                });
              })
      .written(Way::usual, dials);
}

}  // namespace

Rungs kokkos_usual_rungs() {
  namespace Experimental = Kokkos::Experimental;
  using Experimental::WorkItemProperty;
  const auto own = [](const auto& policy) { return policy; };
  return {in_turn("", own),
          in_turn("hint=light",
                  [](const auto& policy) {
                    return Experimental::require(policy, WorkItemProperty::HintLightWeight);
                  }),
          in_turn("hint=heavy",
                  [](const auto& policy) {
                    return Experimental::require(policy, WorkItemProperty::HintHeavyWeight);
                  }),
          graph_step(works, "graph", [=](const Work& s, const Stream& on, const GraphNode& root) {
            with_policy(s, on, own, [&](const auto& policy, const auto& map) {
              GraphNode last = root;
              for (int k = 0; k < s.kernels; ++k) {
                last = last.then_parallel_for("portcost::launches::graph", policy, map);
              }
            });
          }).written(Way::usual)};
}

}  // namespace portcost::launches
