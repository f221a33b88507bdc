// SPDX-License-Identifier: Apache-2.0
// panel in which the next tile's cross begins early, as a graph of launches.
#pragma once

#include "variants/gauss/kokkos/close.hpp"
#include "variants/gauss/kokkos/solve.hpp"
#include "variants/kokkos_graph.hpp"

namespace portcost::gauss {

/// What the next tile needs is taken first, in the smallest tiles, and it is closed; beside that
/// its row and column are taken, in small ones (next_tile, next_cross). Then its cross is solved,
/// while the rest is taken, in two launches (in_two).
template <Way way, class T, class Node>
void enqueue(const System<T>& s, const Stream& stream, const Node& root) {
  using Close = CloseTile<PanelShape<T>, T, way>;
  using Solve = SolveCross<T, way>;
  constexpr const char* label = "portcost::gauss::look_ahead";
  const Tiles tiles(s.n, panel_tile);
  const auto closed = [&](const Node& after, int k) -> Node {
    return after.then_parallel_for(label, Close::On::policy(stream, 1, Close::scratch()),
                                   Close{s, k});
  };
  const auto solved = [&](const Node& after, int k) -> Node {
    const Region cross = tiles.cross(k, tiles.of(k));
    if (cross.count() == 0) return after;
    return after.then_parallel_for(
        label, Solve::On::policy(stream, cross.count() * Solve::parts, Solve::scratch()),
        Solve{s, cross, k});
  };
  const auto take = [&](auto shape, const Node& after, const Region& region) -> Node {
    using Take = Product<decltype(shape), T, way>;
    if (region.count() == 0) return after;
    return after.then_parallel_for(label, Take::On::policy(stream, region.count(), Take::scratch()),
                                   Take{s, region});
  };
  Node crossed = solved(closed(root, 0), 0), rested = crossed;
  for (int k = 0; k + 1 < tiles.rows; ++k) {
    // A join for each launch: where several follow one, what is an empty node in CUDA's graph, the
    // next tile begins late.
    const auto ready = [&] { return k == 0 ? crossed : after_both(crossed, rested); };
    const Node next = take(SmallestShape(), ready(), next_tile(k));
    const Node beside = take(SmallShape(), ready(), next_cross(s.n, k));
    const auto [first, second] = in_two(rest_around(tiles, k));
    rested = take(PanelShape<T>(), take(PanelShape<T>(), ready(), first), second);
    crossed = solved(after_both(closed(next, k + 1), beside), k + 1);
  }
}

/// The step in both ways, or why it is not there.
inline Rungs look_ahead_rungs() {
  return graph_step(works, "look_ahead",
                    [](auto way, const auto& s, const Stream& on, const auto& root) {
                      enqueue<way.value>(s, on, root);
                    });
}

}  // namespace portcost::gauss
