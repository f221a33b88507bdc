// SPDX-License-Identifier: Apache-2.0
#include "src/files/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace portcost {

namespace {

// Sorts by `from` in a time of edges plus vertices, and fills `first`.
void sort_by_from(Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices);
  graph.first.assign(n + 1, 0);
  for (const Edge& edge : graph.edges) ++graph.first[static_cast<std::size_t>(edge.from) + 1];
  for (std::size_t v = 0; v < n; ++v) graph.first[v + 1] += graph.first[v];
  std::vector<std::int64_t> next(graph.first.begin(), graph.first.end() - 1);
  std::vector<Edge> sorted(graph.edges.size());
  for (const Edge& edge : graph.edges) {
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(edge.from)]++)] = edge;
  }
  graph.edges = std::move(sorted);
}

double length_of(const Graph& graph, const std::vector<std::int32_t>& vertices) {
  double sum = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const std::int32_t to = vertices[(i + 1) % vertices.size()];
    const auto edges = graph.from(vertices[i]);
    sum += std::ranges::lower_bound(edges, to, {}, &Edge::to)->length;
  }
  return sum;
}

// A cycle of the edges (before[v], v), where -1 is none.
std::vector<std::int32_t> cycle_of(const std::vector<std::int32_t>& before) {
  const auto n = static_cast<std::int32_t>(before.size());
  std::vector<std::int32_t> seen_from(before.size(), -1);
  for (std::int32_t start = 0; start < n; ++start) {
    std::int32_t v = start;
    while (v >= 0 && seen_from[static_cast<std::size_t>(v)] < 0) {
      seen_from[static_cast<std::size_t>(v)] = start;
      v = before[static_cast<std::size_t>(v)];
    }
    if (v < 0 || seen_from[static_cast<std::size_t>(v)] != start) continue;
    std::vector<std::int32_t> cycle{v};
    for (std::int32_t u = before[static_cast<std::size_t>(v)]; u != v;
         u = before[static_cast<std::size_t>(u)]) {
      cycle.push_back(u);
    }
    std::reverse(cycle.begin(), cycle.end());
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    return cycle;
  }
  return {};
}

}  // namespace

Graph graph_of(EdgeList list) {
  Graph graph;
  graph.vertices = list.vertices;
  graph.edges = std::move(list.edges);
  graph.loops = static_cast<std::int64_t>(std::erase_if(
      graph.edges, [](const Edge& edge) { return edge.from == edge.to && edge.length >= 0; }));
  sort_by_from(graph);
  for (std::size_t v = 0; v < static_cast<std::size_t>(graph.vertices); ++v) {
    std::sort(graph.edges.begin() + graph.first[v], graph.edges.begin() + graph.first[v + 1],
              [](const Edge& a, const Edge& b) {
                return a.to != b.to ? a.to < b.to : a.length < b.length;
              });
  }
  const auto same = [](const Edge& a, const Edge& b) { return a.from == b.from && a.to == b.to; };
  const auto end = std::unique(graph.edges.begin(), graph.edges.end(), same);
  graph.repeated = graph.edges.end() - end;
  graph.edges.erase(end, graph.edges.end());
  if (graph.repeated > 0) sort_by_from(graph);
  return graph;
}

Graph reversed(const Graph& graph) {
  Graph result;
  result.vertices = graph.vertices;
  result.edges.reserve(graph.edges.size());
  for (const Edge& edge : graph.edges) result.edges.push_back({edge.to, edge.from, edge.length});
  sort_by_from(result);
  return result;
}

template <class T>
void write_lengths(const Graph& graph, std::span<T> matrix) {
  const std::int64_t n = graph.vertices;
#pragma omp parallel for schedule(static)
  for (std::int64_t v = 0; v < n; ++v) {
    T* const row = matrix.data() + v * n;
    std::fill_n(row, n, no_path<T>);
    row[v] = 0;
    for (const Edge& edge : graph.from(v)) row[edge.to] = static_cast<T>(edge.length);
  }
}
template void write_lengths(const Graph&, std::span<std::int32_t>);
template void write_lengths(const Graph&, std::span<float>);
template void write_lengths(const Graph&, std::span<double>);

double longest_path_bound(const Graph& graph) {
  double longest = 0, shortest = 0;
  for (std::int64_t v = 0; v < graph.vertices; ++v) {
    double most = 0, least = 0;
    for (const Edge& edge : graph.from(v)) {
      most = std::max(most, edge.length);
      least = std::min(least, edge.length);
    }
    longest += most;
    shortest += least;
  }
  return std::max(longest, -shortest);
}

double unit_of(const Graph& graph) {
  constexpr int bits = std::numeric_limits<double>::digits;
  int least = std::numeric_limits<int>::max();
  for (const Edge& edge : graph.edges) {
    if (edge.length == 0) continue;
    int exponent = 0;
    const double fraction = std::frexp(std::abs(edge.length), &exponent);
    const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, bits));
    least = std::min(least, exponent - bits + std::countr_zero(digits));
  }
  return least == std::numeric_limits<int>::max() ? 1 : std::ldexp(1.0, least);
}

std::optional<Cycle> negative_cycle(const Graph& graph) {
  if (std::ranges::none_of(graph.edges, [](const Edge& edge) { return edge.length < 0; })) {
    return std::nullopt;
  }
  // Distances from one more vertex, with an edge of length 0 to every other. A cycle among the last
  // edges of the paths found so far is negative, and there is one long before all passes are over.
  const auto n = static_cast<std::size_t>(graph.vertices);
  std::vector<double> distance(n, 0);
  std::vector<std::int32_t> before(n, -1);
  for (std::size_t pass = 0; pass <= n; ++pass) {
    bool shorter = false;
    for (const Edge& edge : graph.edges) {
      const double length = distance[static_cast<std::size_t>(edge.from)] + edge.length;
      if (!(length < distance[static_cast<std::size_t>(edge.to)])) continue;
      distance[static_cast<std::size_t>(edge.to)] = length;
      before[static_cast<std::size_t>(edge.to)] = edge.from;
      shorter = true;
    }
    if (!shorter) break;
    std::vector<std::int32_t> vertices = cycle_of(before);
    if (vertices.empty()) continue;
    const double length = length_of(graph, vertices);
    if (length < 0) return Cycle{std::move(vertices), length};  // else rounding has made it one
  }
  return std::nullopt;
}

}  // namespace portcost
