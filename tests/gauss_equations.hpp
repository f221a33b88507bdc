// SPDX-License-Identifier: Apache-2.0
// Equations for gauss, n rows of n coefficients and a right side: a pivot is refused, or nearly so.
#pragma once

#include <cstddef>

#include "tests/support.hpp"

namespace portcost::test {

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

}  // namespace portcost::test
