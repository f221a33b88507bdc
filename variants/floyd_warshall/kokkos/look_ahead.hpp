// SPDX-License-Identifier: Apache-2.0
// register_tile with look-ahead, as a graph of launches.
#pragma once

#include "variants/floyd_warshall/kokkos/rounds_ahead.hpp"
#include "variants/floyd_warshall/kokkos/tiles.hpp"
#include "variants/shared/kokkos_graph.hpp"

namespace portcost::floyd_warshall {

template <bool paths, class T, class Node>
void enqueue(const Graph<T>& g, const Stream& stream, const Node& root) {
  using Shape = RegisterShape<paths>;
  using Close = ClosePivot<Shape, paths, T>;
  using Take = Product<Shape, paths, T>;
  constexpr const char* label = "portcost::floyd_warshall::look_ahead";
  const auto close = [&](const Node& after, int k) -> Node {
    return after.then_parallel_for(label, Close::On::policy(stream, 1, Close::scratch()),
                                   Close{g, k});
  };
  const auto take = [&](const Node& after, const Region& region) -> Node {
    if (region.count() == 0) return after;
    return after.then_parallel_for(label, Take::On::policy(stream, region.count(), Take::scratch()),
                                   Take{g, region});
  };
  const auto both = [](const Node& one, const Node& other) -> Node {
    return after_both(one, other);
  };
  rounds_ahead(tiles_of(g.n, Shape::tile), root, close, take, both);
}

/// The step, or the reason for its absence.
inline Rungs look_ahead_rungs() {
  return {
      graph_step(works, "look_ahead", [](const auto& g, const Stream& on, const GraphNode& root) {
        with_paths(g, [&](auto paths) { enqueue<paths.value>(g, on, root); });
      })};
}

}  // namespace portcost::floyd_warshall
