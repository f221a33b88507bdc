// SPDX-License-Identifier: Apache-2.0
#include "src/files/graph.hpp"
#include "src/files/matrix_market.hpp"
#include "src/support/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>
#include <tuple>

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
    sorted[next[static_cast<std::size_t>(edge.from)]++] = edge;
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
    while (v >= 0 && seen_from[v] < 0) {
      seen_from[v] = start;
      v = before[v];
    }
    if (v < 0 || seen_from[v] != start) continue;
    std::vector<std::int32_t> cycle{v};
    for (std::int32_t u = before[v]; u != v; u = before[u]) {
      cycle.push_back(u);
    }
    std::ranges::reverse(cycle);
    std::rotate(cycle.begin(), std::ranges::min_element(cycle), cycle.end());
    return cycle;
  }
  return {};
}

constexpr std::string_view smaller = "take a smaller graph";
constexpr EntryWords edge_words{"FROM TO LENGTH", "length", "write one, or remove the edge",
                                "where there is no way, write no edge"};

// A length as `type` has it.
double length_in(ElementType type, const LineReader& reader, LineReader::Number number) {
  const double value = number.value + 0.0;  // -0 would be shown as a distance of -0
  const std::string_view text = number.text;
  if (type == ElementType::f64) return value;
  if (type == ElementType::f32) {
    if (std::abs(value) > std::numeric_limits<float>::max()) {
      reader.refuse("length {} is not finite in f32: divide all lengths by a power of 2",
                    shown(text));
    }
    return static_cast<float>(value) + 0.0;
  }
  if (value != std::trunc(value)) {
    reader.refuse("length {} is not whole, as i32 needs it: solve with --type f32", shown(text));
  }
  if (std::abs(value) > most_whole_length) {
    reader.refuse("length {} is out of i32's range here, {:.0f} to {:.0f}: solve with --type f32",
                  shown(text), -most_whole_length, most_whole_length);
  }
  return value;
}

// The same, and what it does to the file's length.
double read_length(EdgeList& list, ElementType type, const LineReader& reader,
                   LineReader::Number number) {
  const double length = length_in(type, reader, number);
  if (length != number.value && list.rounded == 0) list.first_rounded = shown(number.text);
  list.rounded += length != number.value;
  list.fits_i32 = list.fits_i32 && number.value == std::trunc(number.value) &&
                  std::abs(number.value) <= most_whole_length;
  return length;
}

// The rest of the line: FROM TO LENGTH, the length as `field` of a banner has it.
Edge read_edge(EdgeList& list, ElementType type, LineReader& reader, std::string_view field) {
  const std::int32_t from = reader.index("vertex", "vertices", list.vertices, edge_words),
                     to = reader.index("vertex", "vertices", list.vertices, edge_words);
  const double length = read_length(list, type, reader, read_value(reader, field, edge_words));
  reader.end_of_line();
  list.edges.push_back({from, to, length});
  return list.edges.back();
}

// A file of `bytes` bytes cannot have more edges, whatever its header says.
void reserve(EdgeList& list, std::int64_t entries, std::size_t bytes, int directions) {
  constexpr std::size_t shortest_line = 4;  // "1 1\n"
  list.edges.reserve(std::min(static_cast<std::size_t>(entries), bytes / shortest_line + 1) *
                     static_cast<std::size_t>(directions));
}

MatrixMarketBanner read_banner_of_graph(LineReader& reader) {
  MatrixMarketBanner banner = read_banner(reader);
  const auto& [format, field, symmetry] = banner;
  if (format != "coordinate") {
    reader.refuse("'{}' is not read: convert it to 'coordinate', an edge a line", shown(format));
  }
  if (field != "real" && field != "integer" && field != "pattern") {
    reader.refuse("'{}' numbers are no lengths of edges: give real, integer or pattern",
                  shown(field));
  }
  if (symmetry == "skew-symmetric") {
    reader.refuse(
        "skew-symmetric would give each edge its negative as a way back, and so each pair "
        "of vertices a cycle of length 0: write the edges you mean as 'general'");
  }
  if (symmetry != "general" && symmetry != "symmetric") {
    reader.refuse("'{}' is not read: give general or symmetric", shown(symmetry));
  }
  return banner;
}

EdgeList parse_matrix_market(LineReader reader, std::size_t bytes, ElementType type) {
  reader.next_line();
  const MatrixMarketBanner banner = read_banner_of_graph(reader);
  const bool symmetric = banner.symmetry == "symmetric";
  if (!next_content_line(reader)) {
    reader.refuse("the file ends before ROWS COLUMNS ENTRIES: is it truncated?");
  }
  EdgeList list;
  list.vertices = reader.extent("rows", smaller);
  const std::int64_t columns = reader.extent("columns", smaller),
                     entries = reader.count("entries", 0);
  reader.end_of_line();
  if (columns != list.vertices) {
    reader.refuse(
        "a matrix of {} rows and {} columns is no graph: it needs a row and a "
        "column for each vertex",
        list.vertices, columns);
  }
  reserve(list, entries, bytes, symmetric ? 2 : 1);
  std::int64_t done = 0;
  for (; next_content_line(reader); ++done) {
    reader.check_one_more(done, entries);
    const auto [from, to, length] = read_edge(list, type, reader, banner.field);
    if (symmetric && from != to) list.edges.push_back({to, from, length});
  }
  reader.check_all(done, entries);
  return list;
}

EdgeList parse_dimacs(LineReader reader, std::size_t bytes, ElementType type) {
  EdgeList list;
  std::int64_t entries = -1, done = 0;
  while (reader.next_line()) {
    if (reader.line().front() == 'c') continue;
    const std::string_view kind = reader.word();
    if (kind == "a") {
      if (entries < 0)
        reader.refuse("an edge before the header: write 'p sp VERTICES EDGES' first");
      reader.check_one_more(done, entries);
      read_edge(list, type, reader, "real");
      ++done;
    } else if (kind == "p") {
      if (entries >= 0) reader.refuse("a second header: remove one of the two");
      const std::string_view problem = reader.word();
      if (problem != "sp") {
        reader.refuse("'p {}' is no shortest-path graph: write 'p sp VERTICES EDGES'",
                      shown(problem));
      }
      list.vertices = reader.extent("vertices", smaller);
      entries = reader.count("edges", 0);
      reader.end_of_line();
      reserve(list, entries, bytes, 1);
    } else {
      reader.refuse(
          "a line that begins with '{}': lines begin with c (comment), p "
          "(header) or a (edge)",
          shown(kind));
    }
  }
  if (entries < 0) reader.refuse("there is no header: write 'p sp VERTICES EDGES'");
  reader.check_all(done, entries);
  return list;
}

// Several columns at once, so that whole cache lines of a row are used.
constexpr std::int64_t columns_at_once = 16;

template <class T>
struct Column {
  std::vector<T> distance;
  std::vector<std::int32_t> next;
};

// True where the hops from every vertex that has a path arrive at `target`.
template <class T>
bool all_arrive(const Column<T>& column, std::int32_t target,
                std::vector<std::int32_t>& seen_from) {
  const auto n = static_cast<std::int32_t>(column.next.size());
  constexpr std::int32_t unseen = -1;
  const std::int32_t arrives = n;
  std::ranges::fill(seen_from, unseen);
  seen_from[target] = arrives;
  for (std::int32_t start = 0; start < n; ++start) {
    if (column.distance[start] == no_path<T>) continue;
    std::int32_t v = start;
    while (v >= 0 && v < n && seen_from[v] == unseen) {
      seen_from[v] = start;
      v = column.next[v];
    }
    if (v < 0 || v >= n || seen_from[v] != arrives) return false;
    for (v = start; seen_from[v] != arrives; v = column.next[v]) {
      seen_from[v] = arrives;
    }
  }
  return true;
}

// The tree described in the header. `backwards` has the graph's edges turned round.
template <class T>
void grow_tree(Column<T>& column, std::int32_t target, const Graph& backwards) {
  // Of equal excesses the one that was found first, so that paths have few edges.
  using Candidate = std::tuple<double, std::int64_t, std::int32_t, std::int32_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  std::int64_t found = 0;
  std::vector<bool> done(column.next.size(), false);
  const auto arrive = [&](std::int32_t v, std::int32_t next) {
    done[v] = true;
    column.next[v] = next;
    const auto beyond = static_cast<double>(column.distance[v]);
    for (const Edge& edge : backwards.from(v)) {
      const auto u = static_cast<std::size_t>(edge.to);
      if (done[u] || column.distance[u] == no_path<T>) continue;
      const double excess = edge.length + beyond - static_cast<double>(column.distance[u]);
      candidates.emplace(std::max(excess, 0.0), found++, edge.to, v);
    }
  };
  arrive(target, target);
  while (!candidates.empty()) {
    const auto [excess, order, u, v] = candidates.top();
    candidates.pop();
    if (!done[u]) arrive(u, v);
  }
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
    std::ranges::sort(graph.edges.begin() + graph.first[v],
                      graph.edges.begin() + graph.first[v + 1], {},
                      [](const Edge& one) { return std::pair(one.to, one.length); });
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
      const double length = distance[edge.from] + edge.length;
      if (!(length < distance[edge.to])) continue;
      distance[edge.to] = length;
      before[edge.to] = edge.from;
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

EdgeList parse_edge_list(std::string_view text, const std::string& file, ElementType type) {
  LineReader first(text, file);
  if (!first.next_line()) first.refuse("the file is empty: it has no graph");
  const std::string_view line = first.line();
  const std::string_view word = first.word();
  const LineReader reader(text, file);
  if (lower(word) == "%%matrixmarket") return parse_matrix_market(reader, text.size(), type);
  // A comment may have no blank behind its c.
  if (word.starts_with('c') || word == "p" || word == "a")
    return parse_dimacs(reader, text.size(), type);
  first.refuse(
      "'{}' begins neither a Matrix Market file (%%MatrixMarket matrix "
      "coordinate ...) nor a .gr file of DIMACS (p sp ...): convert the graph",
      shown(line));
}

EdgeList read_edge_list(const std::string& path, ElementType type) {
  return parse_edge_list(file_contents(path, "name a graph's file"), path, type);
}

template <class T>
DistanceSummary summary_of(std::span<const T> distances, std::int64_t n) {
  DistanceSummary all;
#pragma omp parallel
  {
    DistanceSummary part;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const T* const row = distances.data() + i * n;
      if (row[i] < 0) part.negative = std::max(part.negative, i);
      for (std::int64_t j = 0; j < n; ++j) {
        if (j == i || row[j] == no_path<T>) continue;
        if (part.reachable++ == 0 || static_cast<double>(row[j]) > part.diameter) {
          part.diameter = static_cast<double>(row[j]);
          part.from = i;
          part.to = j;
        }
      }
    }
#pragma omp critical
    {
      // Of equal ones the first pair, whichever thread is here first.
      const bool further =
          part.reachable > 0 && (all.reachable == 0 || part.diameter > all.diameter ||
                                 (part.diameter == all.diameter && part.from < all.from));
      if (further) {
        all.diameter = part.diameter;
        all.from = part.from;
        all.to = part.to;
      }
      all.reachable += part.reachable;
      all.negative = std::max(all.negative, part.negative);
    }
  }
  return all;
}

template <class T>
std::int64_t mend_next_hops(const Graph& graph, std::span<const T> distances,
                            std::span<std::int32_t> next) {
  const std::int64_t n = graph.vertices;
  const Graph backwards = reversed(graph);
  std::int64_t mended = 0;
#pragma omp parallel reduction(+ : mended)
  {
    const auto rows = static_cast<std::size_t>(n);
    std::vector<Column<T>> columns(columns_at_once);
    for (Column<T>& column : columns) {
      column.distance.resize(rows);
      column.next.resize(rows);
    }
    std::vector<std::int32_t> seen_from(rows);
#pragma omp for schedule(dynamic)
    for (std::int64_t first = 0; first < n; first += columns_at_once) {
      const auto count = static_cast<std::size_t>(std::min(columns_at_once, n - first));
      for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t at = i * rows + static_cast<std::size_t>(first);
        for (std::size_t c = 0; c < count; ++c) {
          columns[c].distance[i] = distances[at + c];
          columns[c].next[i] = next[at + c];
        }
      }
      for (std::size_t c = 0; c < count; ++c) {
        const auto target = static_cast<std::int32_t>(first + static_cast<std::int64_t>(c));
        if (all_arrive(columns[c], target, seen_from)) continue;
        grow_tree(columns[c], target, backwards);
        ++mended;
        for (std::size_t i = 0; i < rows; ++i) {
          next[i * rows + static_cast<std::size_t>(target)] = columns[c].next[i];
        }
      }
    }
  }
  return mended;
}

template DistanceSummary summary_of(std::span<const std::int32_t>, std::int64_t);
template DistanceSummary summary_of(std::span<const float>, std::int64_t);
template DistanceSummary summary_of(std::span<const double>, std::int64_t);
template std::int64_t mend_next_hops(const Graph&, std::span<const std::int32_t>,
                                     std::span<std::int32_t>);
template std::int64_t mend_next_hops(const Graph&, std::span<const float>, std::span<std::int32_t>);
template std::int64_t mend_next_hops(const Graph&, std::span<const double>,
                                     std::span<std::int32_t>);

}  // namespace portcost
