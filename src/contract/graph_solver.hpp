// SPDX-License-Identifier: Apache-2.0
// What an algorithm hands over that calculates the distances of all pairs of a graph's vertices, so
// that `portcost solve` can do so for a graph of the user's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "src/contract/algorithm.hpp"

namespace portcost {

struct GraphSolver {
  std::int64_t most_vertices;
  ElementType standard_type;  // unless one is named
  /// The problem of so many vertices, with next hops where `paths`.
  Problem (*problem)(std::int64_t vertices, ElementType type, bool paths);
  /// An instance of it with given lengths of edges: rows of elements of the problem's type, from
  /// the row's vertex to the column's, no_path<T> (graph.hpp) where there is no edge, 0 on the
  /// diagonal. They are needed during the call only. An answer has the array "distance" of the same
  /// form and, with next hops, "next", i32: the vertex behind the row's on a shortest path to the
  /// column's, the row's own on the diagonal, -1 where there is no path. There is no negative
  /// cycle.
  std::unique_ptr<Instance> (*make)(const Problem& problem, std::span<const std::byte> lengths,
                                    Stream& stream);
  /// Steps of a model, the fastest first; one that a build lacks is passed over.
  std::vector<std::string_view> (*steps)(const Problem& problem, Model model);
  /// Distances in i32 stay exact where no path without a cycle is longer than this, or shorter than
  /// minus this.
  double longest_whole_path;
};

}  // namespace portcost
