// SPDX-License-Identifier: Apache-2.0
// panel in which the next tile's cross begins early, as a graph of launches.
#pragma once

#include "variants/gauss/kokkos/close.hpp"
#include "variants/gauss/kokkos/solve.hpp"
#include "variants/kokkos_graph.hpp"

namespace portcost::gauss {

/// What the next tile's cross needs is taken first, in small tiles, and the cross solved while the
/// rest is taken, in two launches (next_cross, in_two).
template <Way way, class T, class Node>
void enqueue(const System<T>& s, const Stream& stream, const Node& root) {
  using Close = CloseTile<PanelShape<T>, T, way>;
  using Solve = SolveCross<T, way>;
  using Small = Product<SmallShape, T, way>;
  using Take = Product<PanelShape<T>, T, way>;
  constexpr const char* label = "portcost::gauss::look_ahead";
  const Tiles tiles(s.n, panel_tile);
  const auto closed = [&](const Node& after, int k) -> Node {
    const Node close =
        after.then_parallel_for(label, Close::On::policy(stream, 1, Close::scratch()), Close{s, k});
    const Region cross = tiles.cross(k, tiles.of(k));
    if (cross.count() == 0) return close;
    return close.then_parallel_for(
        label, Solve::On::policy(stream, cross.count() * solve_parts, Solve::scratch()),
        Solve{s, cross, k});
  };
  const auto take = [&](const Node& after, const Region& region) -> Node {
    if (region.count() == 0) return after;
    return after.then_parallel_for(label, Take::On::policy(stream, region.count(), Take::scratch()),
                                   Take{s, region});
  };
  Node crossed = closed(root, 0), rested = crossed;
  for (int k = 0; k + 1 < tiles.rows; ++k) {
    // A join for each of two launches: where both follow one, what is an empty node in CUDA's
    // graph, the next tile begins late.
    const auto ready = [&] { return k == 0 ? crossed : after_both(crossed, rested); };
    const Region next = next_cross(s.n, k);
    const Node ahead = ready().then_parallel_for(
        label, Small::On::policy(stream, next.count(), Small::scratch()), Small{s, next});
    const auto [first, second] = in_two(rest_around(tiles, k));
    rested = take(take(ready(), first), second);
    crossed = closed(ahead, k + 1);
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
