// SPDX-License-Identifier: Apache-2.0
// Graphs of files, and the paths that are found in them.
#include <random>

#include "src/files/graph.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_graph {

using Edges = std::vector<Edge>;

Graph graph(std::int64_t vertices, const Edges& edges) { return graph_of({vertices, edges}); }

// Distances by the obvious three loops.
template <class T>
std::vector<T> distances_of(const Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices);
  std::vector<T> d(n * n);
  write_lengths(graph, std::span(d));
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (d[i * n + k] == no_path<T> || d[k * n + j] == no_path<T>) continue;
        d[i * n + j] = std::min<T>(d[i * n + j], d[i * n + k] + d[k * n + j]);
      }
    }
  }
  return d;
}

bool has_negative_cycle(std::int64_t n, const Edges& edges) {
  const std::vector<double> d = distances_of<double>(graph(n, edges));
  bool found = false;
  for (std::size_t i = 0; i < d.size(); i += static_cast<std::size_t>(n + 1)) found |= d[i] < 0;
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

// The length of the path that the hops make; negative infinity where they do not arrive.
double followed(const Graph& graph, const std::vector<std::int32_t>& next, std::int32_t from,
                std::int32_t to) {
  double length = 0;
  std::int32_t at = from;
  for (std::int64_t hops = 0; at != to; ++hops) {
    const std::int32_t hop = next[at * graph.vertices + to];
    const Edge* edge = nullptr;
    for (const Edge& one : graph.from(at)) {
      if (one.to == hop) edge = &one;
    }
    if (edge == nullptr || hops > graph.vertices) return -std::numeric_limits<double>::infinity();
    length += edge->length;
    at = hop;
  }
  return length;
}

// A ring with a way back and more edges, whose lengths come from potentials: cycles of length 0.
Graph ring_of_zeros(std::int32_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> height;
  for (std::int32_t v = 0; v < n; ++v) height.push_back(static_cast<double>(random() % 50));
  const auto between = [&](std::int32_t u, std::int32_t v) { return height[v] - height[u]; };
  EdgeList list{n, {}};
  for (std::int32_t v = 0; v < n; ++v) {
    const std::int32_t w = (v + 1) % n;
    list.edges.push_back({v, w, between(v, w)});
    list.edges.push_back({w, v, between(w, v)});
    const auto far = static_cast<std::int32_t>(random() % static_cast<unsigned>(n));
    if (far != v) list.edges.push_back({v, far, between(v, far) + static_cast<double>(v % 3)});
  }
  return graph_of(std::move(list));
}

template <class T>
void check_all_paths(const Graph& graph, const std::vector<T>& d,
                     const std::vector<std::int32_t>& next, double error = 0) {
  const auto n = static_cast<std::int32_t>(graph.vertices);
  int wrong = 0;
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = 0; j < n; ++j) {
      const int at = i * n + j;
      if (d[at] == no_path<T>) {
        wrong += next[at] != -1;
        continue;
      }
      const double length = followed(graph, next, i, j);
      wrong += !(std::abs(length - static_cast<double>(d[at])) <= error);
    }
    wrong += next[i * (n + 1)] != i;
  }
  CHECK(wrong == 0);
}

TEST_CASE("graph: edges by vertex, each once, and lengths as a matrix", "[graph]") {
  const Graph g = graph(4, {{2, 1, 5}, {0, 3, 2}, {2, 1, 4}, {0, 1, 9}, {2, 1, 6}, {3, 3, 0}});

  CHECK(g.edges == Edges{{0, 1, 9}, {0, 3, 2}, {2, 1, 4}});
  CHECK(g.first == std::vector<std::int64_t>{0, 2, 2, 3, 3});
  CHECK(g.from(2).size() == 1);
  CHECK(g.from(3).empty());
  CHECK(g.repeated == 2);
  CHECK(g.loops == 1);
  CHECK(reversed(g).edges == Edges{{1, 0, 9}, {1, 2, 4}, {3, 0, 2}});
  const Graph three = graph(3, {{0, 1, 5}, {2, 0, -2}, {1, 1, 4}, {2, 2, -1}});
  constexpr int none = no_path<std::int32_t>;
  std::vector<std::int32_t> whole(9);
  std::vector<float> real(9);

  write_lengths(three, std::span(whole));
  write_lengths(three, std::span(real));

  CHECK(whole == std::vector<std::int32_t>{0, 5, none, none, 0, none, -2, none, -1});
  CHECK(none == 2147483647);
  CHECK(real == std::vector<float>{0, 5, INFINITY, INFINITY, 0, INFINITY, -2, INFINITY, -1});
  CHECK(longest_path_bound(graph(3, {{0, 1, 5}, {0, 2, -7}, {1, 2, 3}})) == 8);
  CHECK(longest_path_bound(graph(3, {{0, 1, 5}, {0, 2, -7}, {1, 2, -3}})) == 10);
  CHECK(longest_path_bound(graph(3, {})) == 0);
}

TEST_CASE("graph: a negative cycle is found, and its vertices are on it", "[graph]") {
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
  // 0 -> 1 -> 0 is positive, but a walk from 0 that goes round 1 and 2 is negative.
  const auto round = negative_cycle(graph(3, {{0, 1, 1}, {1, 2, 1}, {2, 1, -9}, {1, 0, 1}}));

  REQUIRE(round);
  CHECK(round->length == -8);
  CHECK(std::find(round->vertices.begin(), round->vertices.end(), 0) == round->vertices.end());
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

TEST_CASE("shortest paths: what is said of distances", "[shortest_paths]") {
  constexpr float no = no_path<float>;
  const std::vector<float> d{0, 3, no, 7, 0, 7, no, 2, 0};

  const DistanceSummary summary = summary_of(std::span(d), 3);

  CHECK(summary.reachable == 4);
  CHECK(summary.diameter == 7);
  CHECK(summary.from == 1);
  CHECK(summary.to == 0);
  CHECK(summary.negative == -1);
  constexpr int none = no_path<std::int32_t>;
  const std::vector<std::int32_t> down{0, -4, none, 0}, apart{0, none, none, 0}, bad{0, 1, 1, -1};

  CHECK(summary_of(std::span(down), 2).diameter == -4);
  CHECK(summary_of(std::span(down), 2).reachable == 1);
  CHECK(summary_of(std::span(apart), 2).reachable == 0);
  CHECK(summary_of(std::span(apart), 2).diameter == 0);
  CHECK(summary_of(std::span(bad), 2).negative == 1);
}

TEST_CASE("shortest paths: next hops that arrive are left as they are", "[shortest_paths]") {
  // From 0 to 2 there are two shortest paths; the one by 1 is kept, and the one by 3.
  const Graph graph = graph_of({4, {{0, 1, 1}, {1, 2, 1}, {0, 3, 1}, {3, 2, 1}}});
  const std::vector<int> d = distances_of<int>(graph);
  for (const std::int32_t by : {1, 3}) {
    std::vector<std::int32_t> next{0, 1, by, 3, -1, 1, 2, -1, -1, -1, 2, -1, -1, -1, 2, 3};
    const std::vector<std::int32_t> before = next;

    CHECK(mend_next_hops(graph, std::span<const int>(d), std::span(next)) == 0);

    CHECK(next == before);
  }
}

TEMPLATE_TEST_CASE("shortest paths: next hops that go round are mended", "[shortest_paths]",
                   std::int32_t, float, double) {
  for (const std::int32_t n : {4, 15, 16, 17, 40}) {
    const Graph graph = ring_of_zeros(n, static_cast<unsigned>(n));
    const std::vector<TestType> d = distances_of<TestType>(graph);
    // Everybody sends one further round the ring and back: half of these hops never arrive.
    std::vector<std::int32_t> next(n * n);
    for (std::int32_t i = 0; i < n; ++i) {
      for (std::int32_t j = 0; j < n; ++j) {
        next[i * n + j] = i == j ? i : i % 2 == 0 ? (i + 1) % n : i - 1;
      }
    }

    CHECK(mend_next_hops(graph, std::span<const TestType>(d), std::span(next)) == n);

    check_all_paths(graph, d, next);
    CHECK(mend_next_hops(graph, std::span<const TestType>(d), std::span(next)) == 0);
  }
}

TEST_CASE("shortest paths: hops to nowhere are mended, no path stays none", "[shortest_paths]") {
  const Graph graph = graph_of({3, {{0, 1, 2}, {1, 0, 2}}});
  const std::vector<double> d = distances_of<double>(graph);
  for (const std::int32_t hop : {-1, 2, 3}) {
    std::vector<std::int32_t> next{0, hop, -1, 0, 1, -1, -1, -1, 2};

    CHECK(mend_next_hops(graph, std::span<const double>(d), std::span(next)) == 1);

    check_all_paths(graph, d, next);
  }
  // In f32 a vertex at 1e8 is as far away as one that is 1 further.
  const Graph far = graph_of({3, {{0, 1, 1}, {1, 0, 1}, {0, 2, 1e8}, {1, 2, 1e8}}});
  const std::vector<float> lengths = distances_of<float>(far);
  std::vector<std::int32_t> hops{0, 1, 1, 0, 1, 0, -1, -1, 2};

  CHECK(mend_next_hops(far, std::span<const float>(lengths), std::span(hops)) == 1);

  check_all_paths(far, lengths, hops, 1);
}

}  // namespace portcost::test::test_graph
