// SPDX-License-Identifier: Apache-2.0
// Common to the tests of floyd_warshall.
#pragma once

#include <cstddef>

#include "tests/matrix_checks.hpp"
#include "variants/floyd_warshall/problem.hpp"

namespace portcost::test {

/// check(answer) of every variant of a place for a user's n x n lengths, with first hops.
template <class T, class Check>
void solve_graph(Place place, const std::vector<T>& matrix, std::int64_t n, const Check& check) {
  const auto instance = floyd_warshall::instance_of<T>(matrix, n, true, shared_stream(place));
  for_answers(algorithm_called("floyd_warshall"), place, {}, *instance,
              [&](const Variant&, const Answer& answer) { check(answer); });
}

/// That all name `vertex` as one of a negative cycle, or none: -1.
template <class T>
void name_cycle(Place place, const std::vector<T>& matrix, std::int64_t n, std::int64_t vertex) {
  solve_graph<T>(place, matrix, n, [&](const Answer& answer) {
    CHECK(elements<int>(answer.at("negative_cycle")) == std::vector<int>{static_cast<int>(vertex)});
  });
}

/// A ring of n vertices whose edges are `each` long, missing ones apart.
template <class T>
std::vector<T> ring_graph(std::int64_t n, T each) {
  std::vector<T> matrix(static_cast<std::size_t>(n * n), floyd_warshall::no_path<T>);
  for (std::int64_t i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * n + (i + 1) % n)] = each;
  return matrix;
}

}  // namespace portcost::test
