// SPDX-License-Identifier: Apache-2.0
// Graphs as files have them (Matrix Market coordinate files and the .gr files of the shortest-path
// challenge of DIMACS), in the order of their vertices, and what is asked of one before the
// distances of all pairs are calculated.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "src/contract/element_type.hpp"

namespace portcost {

/// An edge from one vertex to another. Vertices count from 0; in files they count from 1.
struct Edge {
  std::int32_t from, to;
  double length;
  bool operator==(const Edge&) const = default;
};

/// What a file says: edges in its order, repeated ones and self-loops among them. Of a symmetric
/// matrix both directions of each entry are here.
struct EdgeList {
  std::int64_t vertices = 0;
  std::vector<Edge> edges;
  std::int64_t rounded = 0;  // lengths of the file that the element type does not hold, but rounds
  std::string first_rounded = {};  // the first of these, as the file has it
  bool fits_i32 = true;  // all lengths of the file are whole, and none beyond most_whole_length
};

/// Lengths of edges in i32 lie between minus this and this.
inline constexpr double most_whole_length = (1 << 30) - 1;

/// Reads a graph whose lengths are to be calculated with as `type`: f32 rounds them to nearest, i32
/// takes whole numbers up to most_whole_length only. The first line that is no empty one says the
/// format:
///
///   %%MatrixMarket matrix coordinate real general    also integer or pattern (length 1), symmetric
///   % comment
///   ROWS COLUMNS ENTRIES                             as many columns as rows
///   FROM TO LENGTH
///
///   c comment                                        https://www.diag.uniroma1.it/challenge9
///   p sp VERTICES EDGES
///   a FROM TO LENGTH
///
/// (Matrix Market: https://math.nist.gov/MatrixMarket/formats.html.) Lines may end in CR LF. Throws
/// UsageError, "FILE:LINE: what is wrong: what to do", for whatever is not such a file, and Failure
/// when reading breaks off.
EdgeList read_edge_list(const std::string& path, ElementType type);

/// The same of a text; `file` is the name in errors.
EdgeList parse_edge_list(std::string_view text, const std::string& file, ElementType type);

/// Each edge once, by `from`, then by `to`. Those from v are edges[first[v]] to edges[first[v + 1]
/// - 1].
struct Graph {
  std::int64_t vertices = 0;
  std::vector<std::int64_t> first;
  std::vector<Edge> edges;
  std::int64_t repeated = 0;  // left out, because a shorter or equal one joins the same vertices
  std::int64_t loops = 0;     // left out, because nobody gets nearer by one that is not negative

  std::span<const Edge> from(std::int64_t v) const {
    return {edges.data() + first[v], edges.data() + first[static_cast<std::size_t>(v) + 1]};
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
