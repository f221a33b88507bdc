// SPDX-License-Identifier: Apache-2.0
// Inputs that have no answer, or nearly so: graphs with negative cycles for floyd_warshall,
// equations whose pivots are refused for gauss.
#pragma once

#include <cstddef>

#include "src/contract/solvers.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/floyd_warshall/problem.hpp"
#include "variants/gauss/problem.hpp"

namespace portcost::test {

/// check(answer) of every variant of a place for a user's n x n lengths, with first hops.
template <class T, class Check>
void solve_graph(Place place, const std::vector<T>& matrix, std::int64_t n, const Check& check) {
  const Algorithm& row = algorithm_called("floyd_warshall");
  const Problem problem = problem_of(row, n, "paths=on", element_type_of<T>);
  const auto instance =
      row.graph_solver->make(problem, std::as_bytes(std::span(matrix)), shared_stream(place));
  for_answers(row, place, problem, *instance,
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
  for (std::int64_t i = 0; i < n; ++i) matrix[i * n + (i + 1) % n] = each;
  return matrix;
}

// ---- Equations: n rows of n coefficients and a right side.

/// Those whose elements are element(row, column), of which column n is the right side.
template <class T, class Element>
std::vector<T> equations(std::int64_t n, const Element& element) {
  std::vector<T> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= n; ++j) rows.push_back(element(i, j));
  }
  return rows;
}

/// Their matrix is the product of a lower triangle of ones and an upper one of ones, but for
/// `pivot` at the diagonal's element `column`, and for `last` more in the first element of the last
/// column, which makes that of all rows greater. Elimination is exact where the type has the sums.
template <class T>
std::vector<T> with_pivot(std::int64_t n, std::int64_t column, T pivot, T last = 0) {
  return equations<T>(n, [=](std::int64_t i, std::int64_t j) {
    T sum = static_cast<T>(std::min(i, j) + 1);
    if (j == column && i >= column) sum += pivot - 1;
    return j == n - 1 ? sum + last : sum;
  });
}

/// A diagonal of `all` but for `pivot` in one column.
template <class T>
std::vector<T> diagonal(std::int64_t n, T all, std::int64_t column, T pivot) {
  return equations<T>(n, [=](std::int64_t i, std::int64_t j) {
    return i != j ? T(0) : i == column ? pivot : all;
  });
}

/// An element that overflows in row `column`, below one of m / 16 in a diagonal of m: from it 16 m
/// is taken. It is element `other` of the row, and 0 at first, but m on the diagonal.
template <class T>
std::vector<T> with_overflow(std::int64_t n, std::int64_t column, std::int64_t other) {
  return equations<T>(n, [=](std::int64_t i, std::int64_t j) -> T {
    constexpr T m = std::numeric_limits<T>::max() / 2;
    if (i == column - 1 && j == column - 1) return m / 16;
    const bool more = (i == column - 1 && j == other) || (i == column && j == column - 1);
    return i == j || more ? m : 0;
  });
}

/// check(answer) of every variant of a place that is wanted, for n of a user's equations.
template <class T, class Check>
void solve_equations(Place place, const std::vector<T>& rows, std::int64_t n, int r1,
                     const Check& check, const Wanted& wanted = every) {
  const Algorithm& row = algorithm_called("gauss");
  const Problem problem =
      problem_of(row, n, fmt::format("matrix=random,r1={}", r1), element_type_of<T>);
  const auto instance =
      row.equation_solver->make(problem, std::as_bytes(std::span(rows)), shared_stream(place));
  CAPTURE(n, r1);
  for_answers(
      row, place, problem, *instance, [&](const Variant&, const Answer& answer) { check(answer); },
      wanted);
}

/// That all name `column` as that of a refused pivot, or none: -1.
template <class T>
void name_column(Place place, const std::vector<T>& rows, std::int64_t n, int r1,
                 std::int64_t column, const Wanted& wanted = every) {
  const auto check = [&](const Answer& answer) {
    CHECK(elements<int>(answer.at("bad_pivot")) == std::vector<int>{static_cast<int>(column)});
  };
  solve_equations<T>(place, rows, n, r1, check, wanted);
}

}  // namespace portcost::test
