// SPDX-License-Identifier: Apache-2.0
// register_tile in which the next round begins early, as a graph of launches.
#pragma once

#include "variants/floyd_warshall/kokkos/tiles.hpp"
#include "variants/kokkos_graph.hpp"

namespace portcost::floyd_warshall {

/// The next tile's cross is taken first, and closed while the rest is taken, in two launches
/// (in_two): the next tile is closed beside the second.
template <bool paths, Way way, class T, class Node>
void enqueue(const Graph<T>& g, const Stream& stream, const Node& root) {
  using Shape = RegisterShape<paths>;
  using Close = ClosePivot<Shape, paths, T, way>;
  using Take = Product<Shape, paths, T, way>;
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
  const int tiles = tiles_of(g.n, Shape::tile);
  Node crossed = take(close(root, 0), cross_of(tiles, 0)), rested = crossed;
  for (int k = 0; k + 1 < tiles; ++k) {
    // A join for each of two launches: where both follow one, what is an empty node in CUDA's
    // graph, the next tile begins late.
    const auto ready = [&] { return k == 0 ? crossed : after_both(crossed, rested); };
    const Node next = take(ready(), next_cross(tiles, k));
    const auto [first, second] = in_two(rest_around(tiles, k));
    rested = take(take(ready(), first), second);
    crossed = take(close(next, k + 1), cross_of(tiles, k + 1));
  }
  if (tiles > 1) take(after_both(crossed, rested), rest_of(tiles, tiles - 1, 1));
}

/// The step in both ways, or why it is not there.
inline Rungs look_ahead_rungs() {
  return graph_step(
      works, "look_ahead", [](auto way, const auto& g, const Stream& on, const auto& root) {
        with_paths(g, [&](auto paths) { enqueue<paths.value, way.value>(g, on, root); });
      });
}

}  // namespace portcost::floyd_warshall
