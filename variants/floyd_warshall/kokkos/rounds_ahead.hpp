// SPDX-License-Identifier: Apache-2.0
// The order of look_ahead's launches, without Kokkos, so that tests can record it.
#pragma once

#include "variants/floyd_warshall/problem.hpp"

namespace portcost::floyd_warshall {

/// Rounds as launches that each follow one or two launches: close(after, k) and take(after, region)
/// return the launch, both(a, b) joins two. In a round the next tile's row and column are relaxed
/// first; then the next pivot tile is relaxed during the remainder, which is two launches (in_two):
/// the pivot tile goes beside the second.
template <class Node, class Close, class Take, class Both>
void rounds_ahead(int tiles, const Node& root, const Close& close, const Take& take,
                  const Both& both) {
  Node crossed = take(close(root, 0), cross_of(tiles, 0)), rested = crossed;
  for (int k = 0; k + 1 < tiles; ++k) {
    // A join for each launch: where two launches follow one join, which is an empty node in CUDA's
    // graph, the next tile begins late.
    const auto ready = [&] { return k == 0 ? crossed : both(crossed, rested); };
    const Node next = take(ready(), next_cross(tiles, k));
    const auto [first, second] = in_two(rest_around(tiles, k));
    rested = take(take(ready(), first), second);
    crossed = take(close(next, k + 1), cross_of(tiles, k + 1));
  }
  if (tiles > 1) take(both(crossed, rested), rest_of(tiles, tiles - 1, 1));
}

}  // namespace portcost::floyd_warshall
