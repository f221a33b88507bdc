// SPDX-License-Identifier: Apache-2.0
// What is made of the distances of all pairs: a summary, and next hops that lead to their target.
#pragma once

#include <cstdint>
#include <span>

#include "src/files/graph.hpp"

namespace portcost {

/// Of n x n distances, from the row's vertex to the column's.
struct DistanceSummary {
  std::int64_t reachable = 0;     // pairs of two vertices with a path from the first to the second
  double diameter = 0;            // the largest distance of these; 0 without any
  std::int64_t from = 0, to = 0;  // a pair that has it
  std::int64_t negative = -1;     // a vertex whose distance to itself is negative; -1: none
};
template <class T>
DistanceSummary summary_of(std::span<const T> distances, std::int64_t vertices);

/// Makes next hops lead to their target. next[i * n + j] is the vertex behind i on a shortest path
/// to j, i where i is j, and -1 where there is no path. Where a cycle has length 0 (or, in floating
/// point, one that rounding swallows), hops that were found a block at a time may go round in it.
/// The hops to each target are followed from every vertex; where one does not arrive, all hops to
/// that target are made anew: a tree that grows from the target, at each turn by the edge (u, v)
/// whose length plus distance(v, target) exceeds distance(u, target) least, by nothing when numbers
/// are exact. Returns for how many targets that was necessary. Takes a time of n^2, and of m log n
/// a target that is mended.
template <class T>
std::int64_t mend_next_hops(const Graph& graph, std::span<const T> distances,
                            std::span<std::int32_t> next);

}  // namespace portcost
