// SPDX-License-Identifier: Apache-2.0
// A directed graph in the order of its vertices, and what is asked of it before the distances of
// all pairs are calculated.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "src/files/edge_list.hpp"

namespace portcost {

/// Each edge once, by `from`, then by `to`. Those from v are edges[first[v]] to edges[first[v + 1]
/// - 1].
struct Graph {
  std::int64_t vertices = 0;
  std::vector<std::int64_t> first;
  std::vector<Edge> edges;
  std::int64_t repeated = 0;  // left out, because a shorter or equal one joins the same vertices
  std::int64_t loops = 0;     // left out, because nobody gets nearer by one that is not negative

  std::span<const Edge> from(std::int64_t v) const {
    return {edges.data() + first[static_cast<std::size_t>(v)],
            edges.data() + first[static_cast<std::size_t>(v) + 1]};
  }
};

/// Of repeated edges the shortest stays; self-loops stay only where they are negative.
Graph graph_of(EdgeList list);

/// The same with each edge turned round.
Graph reversed(const Graph& graph);

/// No path, in a matrix of distances: infinity, or the greatest i32.
template <class T>
inline constexpr T no_path = std::is_integral_v<T> ? std::numeric_limits<T>::max()
                                                   : std::numeric_limits<T>::infinity();

/// Writes the lengths of edges to n rows of n elements: from the row's vertex to the column's;
/// no_path where there is no edge, 0 on the diagonal (or the length of a negative self-loop).
template <class T>
void write_lengths(const Graph& graph, std::span<T> matrix);

/// No path that is at no vertex twice is longer than this, and none shorter than minus this: the
/// greater of the sums of each vertex's longest edge, and of each one's most negative edge.
double longest_path_bound(const Graph& graph);

/// The largest power of 2 of which all lengths are whole multiples; 1 where all are 0.
double unit_of(const Graph& graph);

/// A cycle whose length is negative: vertices in their order from the least on, each once.
struct Cycle {
  std::vector<std::int32_t> vertices;
  double length = 0;
};

/// Some negative cycle that no vertex is twice on, or nothing where there is none (Bellman and
/// Ford). Takes a time of vertices times edges at worst; without negative edges, none.
std::optional<Cycle> negative_cycle(const Graph& graph);

}  // namespace portcost
