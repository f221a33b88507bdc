// SPDX-License-Identifier: Apache-2.0
#include "src/files/shortest_paths.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

namespace portcost {

namespace {

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
  std::fill(seen_from.begin(), seen_from.end(), unseen);
  seen_from[static_cast<std::size_t>(target)] = arrives;
  for (std::int32_t start = 0; start < n; ++start) {
    if (column.distance[static_cast<std::size_t>(start)] == no_path<T>) continue;
    std::int32_t v = start;
    while (v >= 0 && v < n && seen_from[static_cast<std::size_t>(v)] == unseen) {
      seen_from[static_cast<std::size_t>(v)] = start;
      v = column.next[static_cast<std::size_t>(v)];
    }
    if (v < 0 || v >= n || seen_from[static_cast<std::size_t>(v)] != arrives) return false;
    for (v = start; seen_from[static_cast<std::size_t>(v)] != arrives;
         v = column.next[static_cast<std::size_t>(v)]) {
      seen_from[static_cast<std::size_t>(v)] = arrives;
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
    done[static_cast<std::size_t>(v)] = true;
    column.next[static_cast<std::size_t>(v)] = next;
    const auto beyond = static_cast<double>(column.distance[static_cast<std::size_t>(v)]);
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
    if (!done[static_cast<std::size_t>(u)]) arrive(u, v);
  }
}

}  // namespace

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
