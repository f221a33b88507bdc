// SPDX-License-Identifier: Apache-2.0
#include "src/files/graph.hpp"

#include <random>

#include "tests/support.hpp"

namespace portcost::test::test_graph {

namespace {

using Edges = std::vector<Edge>;

Graph graph(std::int64_t vertices, const Edges& edges) { return graph_of({vertices, edges}); }

// The shortest cycle's sign by the obvious three loops.
bool has_negative_cycle(std::int64_t n, const Edges& edges) {
  const auto rows = static_cast<std::size_t>(n);
  std::vector<double> d(rows * rows, INFINITY);
  for (const Edge& e : edges) {
    double& to = d[static_cast<std::size_t>(e.from) * rows + static_cast<std::size_t>(e.to)];
    to = std::min(to, e.length);
  }
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < rows; ++j) {
        d[i * rows + j] = std::min(d[i * rows + j], d[i * rows + k] + d[k * rows + j]);
      }
    }
  }
  bool found = false;
  for (std::size_t i = 0; i < rows; ++i) found = found || d[i * rows + i] < 0;
  return found;
}

// What is wrong with a cycle, or nothing.
void check_cycle(const Cycle& cycle, const Edges& edges) {
  double length = 0;
  std::vector<std::int32_t> sorted = cycle.vertices;
  std::sort(sorted.begin(), sorted.end());
  CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
  for (std::size_t i = 0; i < cycle.vertices.size(); ++i) {
    const std::int32_t from = cycle.vertices[i];
    const std::int32_t to = cycle.vertices[(i + 1) % cycle.vertices.size()];
    double least = INFINITY;
    for (const Edge& e : edges) {
      if (e.from == from && e.to == to) least = std::min(least, e.length);
    }
    length += least;
  }
  CHECK(length < 0);
  CHECK(length == cycle.length);
}

}  // namespace

TEST_CASE("graph: edges by vertex, each once, the shortest of repeated ones", "[graph]") {
  const Graph g = graph(4, {{2, 1, 5}, {0, 3, 2}, {2, 1, 4}, {0, 1, 9}, {2, 1, 6}, {3, 3, 0}});

  CHECK(g.edges == Edges{{0, 1, 9}, {0, 3, 2}, {2, 1, 4}});
  CHECK(g.first == std::vector<std::int64_t>{0, 2, 2, 3, 3});
  CHECK(g.from(2).size() == 1);
  CHECK(g.from(3).empty());
  CHECK(g.repeated == 2);
  CHECK(g.loops == 1);
  CHECK(reversed(g).edges == Edges{{1, 0, 9}, {1, 2, 4}, {3, 0, 2}});
}

TEST_CASE("graph: lengths as a matrix", "[graph]") {
  const Graph g = graph(3, {{0, 1, 5}, {2, 0, -2}, {1, 1, 4}, {2, 2, -1}});
  constexpr int none = no_path<std::int32_t>;
  std::vector<std::int32_t> whole(9);
  std::vector<float> real(9);

  write_lengths(g, std::span(whole));
  write_lengths(g, std::span(real));

  CHECK(whole == std::vector<std::int32_t>{0, 5, none, none, 0, none, -2, none, -1});
  CHECK(none == 2147483647);
  CHECK(real == std::vector<float>{0, 5, INFINITY, INFINITY, 0, INFINITY, -2, INFINITY, -1});
}

TEST_CASE("graph: how long a path may be", "[graph]") {
  CHECK(longest_path_bound(graph(3, {{0, 1, 5}, {0, 2, -7}, {1, 2, 3}})) == 8);
  CHECK(longest_path_bound(graph(3, {{0, 1, 5}, {0, 2, -7}, {1, 2, -3}})) == 10);
  CHECK(longest_path_bound(graph(3, {})) == 0);
}

TEST_CASE("graph: a negative cycle is found, and none where there is none", "[graph]") {
  CHECK_FALSE(negative_cycle(graph(3, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}})));
  CHECK_FALSE(negative_cycle(graph(3, {{0, 1, 1}, {1, 2, -3}, {2, 0, 2}})));
  CHECK_FALSE(negative_cycle(graph(2, {{0, 1, -5}})));

  const Edges three{{0, 1, 1}, {1, 2, -4}, {2, 0, 2}, {0, 3, 1}, {3, 0, -1}};
  const auto cycle = negative_cycle(graph(4, three));
  REQUIRE(cycle);
  CHECK(cycle->length == -1);
  CHECK(cycle->vertices == std::vector<std::int32_t>{0, 1, 2});
  check_cycle(*cycle, three);

  const auto loop = negative_cycle(graph(2, {{0, 1, 1}, {1, 1, -2}}));
  REQUIRE(loop);
  CHECK(loop->vertices == std::vector<std::int32_t>{1});
  CHECK(loop->length == -2);
}

TEST_CASE("graph: the vertex that is named is on the cycle, not only on a way round it",
          "[graph]") {
  // 0 -> 1 -> 0 is positive, but a walk from 0 that goes round 1 and 2 is negative.
  const auto cycle = negative_cycle(graph(3, {{0, 1, 1}, {1, 2, 1}, {2, 1, -9}, {1, 0, 1}}));

  REQUIRE(cycle);
  CHECK(cycle->length == -8);
  CHECK(std::find(cycle->vertices.begin(), cycle->vertices.end(), 0) == cycle->vertices.end());
}

TEST_CASE("graph: drawn graphs have a negative cycle where three loops find one", "[graph]") {
  std::mt19937 random(7);
  int with = 0;
  for (int round = 0; round < 300; ++round) {
    const int n = 2 + static_cast<int>(random() % 9);
    Edges edges;
    for (std::uint32_t i = 0; i < random() % 30; ++i) {
      edges.push_back({static_cast<std::int32_t>(random() % static_cast<unsigned>(n)),
                       static_cast<std::int32_t>(random() % static_cast<unsigned>(n)),
                       static_cast<double>(random() % 12) - 2});
    }
    const auto cycle = negative_cycle(graph(n, edges));
    CAPTURE(round);
    REQUIRE(cycle.has_value() == has_negative_cycle(n, edges));
    if (cycle) check_cycle(*cycle, edges);
    with += cycle ? 1 : 0;
  }
  CHECK(with > 50);
  CHECK(with < 250);
}

}  // namespace portcost::test::test_graph
