// SPDX-License-Identifier: Apache-2.0
// For Kokkos's steps whose launches overlap: the launches of a run as one graph.
#pragma once

#include <memory>
#include <string_view>

#include "variants/shared/kokkos_team.hpp"

// Kokkos 4.5 introduced graphs on a stream that are built in a loop.
#if defined(KOKKOS_ENABLE_CUDA) && KOKKOS_VERSION >= 40500
#define PORTCOST_HAS_KOKKOS_GRAPH 1
#include <Kokkos_Graph.hpp>
#endif
// Kokkos 4.6 introduced graphs made from a CUDA graph.
#if defined(KOKKOS_ENABLE_CUDA) && KOKKOS_VERSION >= 40600
#define PORTCOST_HAS_KOKKOS_GRAPH_OF_CALLS 1
#endif

namespace portcost {

#ifdef PORTCOST_HAS_KOKKOS_GRAPH

/// Whether launches run in order in place of a graph, which only tests do.
inline constexpr bool launches_in_order = false;

/// A run as one graph, built once by enqueue(root node). Nodes have no priority; a launch begins
/// when all blocks of the earlier launches have begun.
class GraphOfLaunches final : public Execution {
 public:
  template <class Enqueue>
  GraphOfLaunches(const Stream& stream, const Enqueue& enqueue)
      : stream_(stream), graph_(Kokkos::Experimental::create_graph(kokkos_space(stream), enqueue)) {
    graph_.instantiate();
  }

  void run(int) override { graph_.submit(kokkos_space(stream_)); }

 private:
  const Stream& stream_;
  Kokkos::Experimental::Graph<KokkosSpace> graph_;
};

/// A node that a launch may follow, and the join of two nodes.
using GraphNode = Kokkos::Experimental::GraphNodeRef<KokkosSpace>;
inline GraphNode after_both(const GraphNode& one, const GraphNode& other) {
  return Kokkos::Experimental::when_all(one, other);
}

/// An Execution of the launches that enqueue(root node) adds.
inline constexpr bool has_launch_graphs = true;
template <class Enqueue>
std::unique_ptr<Execution> as_graph(const Stream& stream, const Enqueue& enqueue) {
  return std::make_unique<GraphOfLaunches>(stream, enqueue);
}

#else

/// Without graphs, in tests that run a GPU's shapes on a host, launches run in the order in which
/// they are added.
inline constexpr bool launches_in_order = true;
class LaunchesInOrder {
 public:
  template <class Policy, class Functor>
  LaunchesInOrder then_parallel_for(const char* label, const Policy& policy,
                                    const Functor& functor) const {
    Kokkos::parallel_for(label, policy, functor);
    return *this;
  }
};
inline LaunchesInOrder after_both(const LaunchesInOrder& one, const LaunchesInOrder&) {
  return one;
}

using GraphNode = LaunchesInOrder;
inline constexpr bool has_launch_graphs = kokkos_on_host && kokkos_shapes == Place::device;
template <class Enqueue>
void as_graph(const Stream&, const Enqueue& enqueue) {
  enqueue(LaunchesInOrder());
}

#endif

/// A step whose launches overlap, f(work, stream, root node), or the reason for its absence.
template <class... Work, class F>
Rung graph_step([[maybe_unused]] Works<Work...> works, std::string_view step,
                [[maybe_unused]] const F& f) {
  if constexpr (has_launch_graphs) {
    return rung(works, step, [f](const auto& s, const Stream& on) {
      return as_graph(on, [&](const GraphNode& root) { f(s, on, root); });
    });
  } else {
    return absent_rung(step, "a host queues no launches; a GPU needs the graphs of Kokkos 4.5");
  }
}

}  // namespace portcost
