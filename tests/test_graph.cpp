// SPDX-License-Identifier: Apache-2.0
// Files of graphs: what is read, and the one line that is said of each that is none; graphs, and
// the paths that are found in them.
#include <random>

#include "src/files/graph.hpp"
#include "tests/support.hpp"

namespace portcost::test::test_graph {

using Edges = std::vector<Edge>;

// ---- Files.

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

EdgeList parsed(const std::string& text, ElementType type = ElementType::f64) {
  return parse_edge_list(text, "g", type);
}

void check_refused(const std::vector<Broken>& all, ElementType type = ElementType::f64) {
  check_refusals(all, [type](const std::string& text) {
    return message_of<UsageError>([&] { parsed(text, type); });
  });
}

void check_read(const std::string& what, const std::string& text, std::int64_t vertices,
                const Edges& edges) {
  CAPTURE(what);
  const EdgeList list = parsed(text);
  CHECK(list.vertices == vertices);
  CHECK(list.edges == edges);
}

TEST_CASE("edge list: all forms of a graph are read", "[edge_list]") {
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n",
                    pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n";
  const Edges five{{0, 1, 0.5}, {1, 3, -0.3}, {2, 2, 7}, {0, 1, 2}, {3, 0, 0}};
  check_read("a general matrix, its comments, blank lines and repeated edges",
             banner +
                 "% a comment\n\n4 4 5\n1 2 0.5\n  2   4\t-3e-1 \n% another\n"
                 "3 3 7\n1 2 +2\n4 1 0\n",
             4, five);
  check_read("a banner in any letters",
             "%%matrixmarket MATRIX Coordinate INTEGER General\n2 2 1\n2 1 3\n", 2, {{1, 0, 3}});
  check_read("a symmetric matrix has both directions, of the diagonal one",
             symmetric + "3 3 2\n2 1 5\n3 3 1\n", 3, {{1, 0, 5}, {0, 1, 5}, {2, 2, 1}});
  check_read("edges of a pattern have length 1", pattern + "3 3 1\n3 1\n", 3,
             {{2, 0, 1}, {0, 2, 1}});
  check_read("a .gr file of DIMACS", "c roads\nc\np sp 3 2\nc more\na 1 3 17\na 3 2 4\n", 3,
             {{0, 2, 17}, {2, 1, 4}});
  check_read("one without edges", "p sp 1 0", 1, {});
  check_read("its comments need no blank, even in the first line",
             "c---- a challenge ----\nc x\np sp 2 1\na 1 2 3\n", 2, {{0, 1, 3}});
  check_read("lines end in CR LF", "p sp 2 1\r\na 1 2 9\r\n", 2, {{0, 1, 9}});
  check_read("those of a matrix, too",
             "%%MatrixMarket matrix coordinate real general\r\n2 2 1\r\n1 2 3\r\n", 2, {{0, 1, 3}});
  check_read("the last line ends in nothing, and the first begins with a mark",
             "\xEF\xBB\xBFp sp 2 1\na 1 2 9", 2, {{0, 1, 9}});
}

TEST_CASE("edge list: lengths are those of the type, rounded ones counted, what i32 takes known",
          "[edge_list]") {
  const std::string text = "p sp 3 3\na 1 2 -20000001\na 2 3 20000000\na 1 3 7\n";

  CHECK(parsed(text, ElementType::f32).rounded == 1);
  CHECK(parsed(text, ElementType::f64).rounded == 0);
  CHECK(parsed(text, ElementType::f32).first_rounded == "-20000001");
  CHECK(parsed(text, ElementType::f64).first_rounded == "");
  const EdgeList tenths = parsed("p sp 2 3\na 1 2 0.5\na 1 2 0.1\na 1 2 0.7\n", ElementType::f32);
  CHECK(tenths.rounded == 2);
  CHECK(tenths.first_rounded == "0.1");
  const auto fits = [](const std::string& length) {
    return parsed("p sp 2 2\na 1 2 1\na 1 1 " + length + "\n", ElementType::f32).fits_i32;
  };

  CHECK(fits("20000001"));
  CHECK(fits("1073741823"));
  CHECK(fits("-1073741823"));
  CHECK_FALSE(fits("1073741824"));
  CHECK_FALSE(fits("-2e9"));
  CHECK_FALSE(fits("0.5"));
  const std::string tenth = "p sp 2 1\na 1 2 0.1\n";

  CHECK(parsed(tenth).edges[0].length == 0.1);
  CHECK(parsed(tenth, ElementType::f32).edges[0].length == static_cast<double>(0.1f));
  CHECK(parsed("p sp 2 1\na 1 2 -7.0\n", ElementType::i32).edges[0].length == -7);
  CHECK(parsed("p sp 2 1\na 1 2 1073741823\n", ElementType::i32).edges[0].length == 1073741823);
  for (const char* zero : {"-0", "-0.0", "-1e-60"}) {
    const double length =
        parsed(std::string("p sp 2 1\na 1 2 ") + zero + "\n", ElementType::f32).edges[0].length;
    CHECK(length == 0);
    CHECK_FALSE(std::signbit(length));
  }
}

TEST_CASE("edge list: i32 takes whole lengths in range, f32 finite ones", "[edge_list]") {
  check_refused({{"p sp 2 1\na 1 2 0.5\n", "g:2: length 0.5 is not whole", "--type f32"},
                 {"p sp 2 1\na 1 2 1073741824\n", "g:2: length 1073741824 is out", "--type f32"},
                 {"p sp 2 1\na 1 2 -1073741824\n", "g:2: length -1073741824", "-1073741823"},
                 {"p sp 2 1\na 1 2 99999999999\n", "g:2: length 99999999999", "--type f32"}},
                ElementType::i32);
  check_refused({{"p sp 2 1\na 1 2 1e39\n", "g:2: length 1e39", "divide"}}, ElementType::f32);
}

TEST_CASE("edge list: what is no length and no vertex is named with its line", "[edge_list]") {
  check_refused({
      {"p sp 2 1\na 1 2 x\n", "g:2: ", "length 'x' is no number: write"},
      {"p sp 2 1\na 1 2 1.5.2\n", "g:2: ", "'1.5.2'"},
      {"p sp 2 1\na 1 2 1,5\n", "g:2: ", "'1,5'"},
      {"p sp 2 1\na 1 2 +-5\n", "g:2: ", "'+-5'"},
      {"p sp 2 1\na 1 2 0x10\n", "g:2: ", "'0x10'"},
      {"p sp 2 1\nc\na 1 2 nan\n", "g:3: ", "NaN"},
      {"p sp 2 1\na 1 2 inf\n", "g:2: ", "inf is not finite"},
      {"p sp 2 1\na 1 2 -infinity\n", "g:2: ", "write no edge"},
      {"p sp 2 1\na 1 2 1e999\n", "g:2: ", "1e999 is not finite"},
      {"p sp 2 1\na 1 2\n", "g:2: ", "the length is missing"},
      {"p sp 2 1\na 1 2 3 4\n", "g:2: ", "'4' is too much"},
      {banner + "2 2 1\n1 2\n", "g:3: ", "the length is missing"},
      {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 0.5\n",
       "g:3: length 0.5 is not whole", "'real'"},
      {"p sp 2 1\na 0 2 3\n", "g:2: vertex 0 ", "from 1 on"},
      {"p sp 2 1\na 1 3 3\n", "g:2: vertex 3 ", "there are 2"},
      {"p sp 2 1\na -1 2 3\n", "g:2: vertex -1 ", "out of range"},
      {"p sp 2 1\na 1.5 2 3\n", "g:2: vertex '1.5' ", "from 1 to 2"},
      {"p sp 2 1\na one 2 3\n", "g:2: vertex 'one' ", "no whole number"},
      {"p sp 2 1\na 99999999999999999999 2 3\n", "g:2: vertex 99999999999999999999 ", "range"},
      {"p sp 2 1\na 1\n", "g:2: ", "a vertex is missing"},
      {banner + "2 2 1\n1 3 1\n", "g:3: vertex 3 ", "there are 2"},
      {banner + "2 2 1\n0 1 1\n", "g:3: vertex 0 ", "from 1 on"},
  });
}

TEST_CASE("edge list: bad headers, other numbers of entries, and files that are no graphs",
          "[edge_list]") {
  const auto with = [](const std::string& words) {
    return "%%MatrixMarket " + words + "\n1 1 0\n";
  };
  check_refused({
      {"p sp 0 0\n", "g:1: the number of vertices is '0'", "from 1"},
      {"p sp -3 0\n", "g:1: ", "'-3'"},
      {"p sp 3\n", "g:1: the number of edges is missing", "add it"},
      {"p sp 3 -1\n", "g:1: the number of edges is '-1'", "from 0"},
      {"p sp 3 x\n", "g:1: ", "'x'"},
      {"p sp 3 1 7\n", "g:1: ", "'7' is too much"},
      {"p sp 2147483648 1\n", "g:1: 2147483648 vertices are more than 2147483647", "smaller"},
      {"p sp 99999999999999999999 1\n", "g:1: 99999999999999999999 vertices", "correct"},
      {"p max 3 1\n", "g:1: 'p max'", "p sp VERTICES EDGES"},
      {"p sp 3 1\np sp 3 1\n", "g:2: a second header", "remove"},
      {"a 1 2 3\np sp 3 1\n", "g:1: an edge before the header", "first"},
      {"c nothing\n", "g:1: there is no header", "p sp VERTICES EDGES"},
      {"p sp 3 1\nb 1 2 3\n", "g:2: a line that begins with 'b'", "a (edge)"},
      {"p sp 2 1\na 1 2 3\n\x1A", "g:3: a line that begins with '?'", "a (edge)"},
      {banner + "3 4 1\n1 2 3\n", "g:2: a matrix of 3 rows and 4 columns", "for each vertex"},
      {banner + "3000000000 3000000000 1\n", "g:2: 3000000000 rows", "2147483647"},
      {banner + "3 3\n", "g:2: the number of entries is missing", "add it"},
      {"p sp 3 1\na 1 2 3\na 2 3 4\n", "g:3: the header says 1 entries", "one more"},
      {"p sp 3 3\na 1 2 3\na 2 3 4\n", "g:3: the file ends after 2 of 3", "truncated"},
      {"p sp 3 9223372036854775807\na 1 2 3\n", "g:2: the file ends after 1 of", "truncated"},
      {banner + "3 3 0\n1 2 3\n", "g:3: the header says 0 entries", "remove"},
      {banner + "3 3 2\n1 2 3\n", "g:3: the file ends after 1 of 2", "Copy it again"},
      {banner, "g:1: ", "ROWS COLUMNS ENTRIES"},
      {with("matrix coordinate real skew-symmetric"), "g:1: skew-symmetric", "'general'"},
      {with("matrix coordinate real hermitian"), "g:1: 'hermitian'", "general or symmetric"},
      {with("matrix array real general"), "g:1: 'array'", "coordinate"},
      {with(""), "g:1: the banner has no object", "write"},
      {with("matrix coordinate real general more"), "g:1: 'more' is too much", "end"},
      {"", "g:1: the file is empty", "no graph"},
      {"\n \n\r\n", "g:3: the file is empty", "no graph"},
      {"from,to,length\n1,2,3\n", "g:1: 'from,to,length' begins neither", "convert"},
      {std::string("\177ELF\0\0", 6), "g:1: '\?ELF", "convert"},
      {std::string(1000, 'x'), "g:1: '" + std::string(40, 'x') + "...'", "convert"},
  });
}

TEST_CASE("edge list: a file of any name is read; no file is named", "[edge_list]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("graph.txt"), none = folder.file("none.gr");
  write_file(file, "p sp 2 1\na 2 1 4\n");

  CHECK(read_edge_list(file, ElementType::f32).edges == Edges{{1, 0, 4}});
  const auto message = [](const std::string& path) {
    return message_of<UsageError>([&] { read_edge_list(path, ElementType::f32); });
  };
  CHECK(mentions(message(none), "'" + none + "' (No such file"));
  CHECK(mentions(message(folder.file("")), "it is a folder"));
  write_file(file, "p sp 2 1\na 2 1 x\n");
  CHECK(message(file).starts_with(file + ":2: "));
}

// ---- Graphs.

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
