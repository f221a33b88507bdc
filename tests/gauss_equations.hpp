// SPDX-License-Identifier: Apache-2.0
// Equations for gauss, n rows of n coefficients and a right side: a pivot is refused, or nearly so.
#pragma once

#include <cstddef>

#include "tests/support.hpp"

namespace portcost::test {

template <class T>
class Equations {
 public:
  explicit Equations(std::int64_t n)
      : n_(n), rows_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 1), T(0)) {}
  T& at(std::int64_t i, std::int64_t j) {
    return rows_[static_cast<std::size_t>(i) * static_cast<std::size_t>(n_ + 1) +
                 static_cast<std::size_t>(j)];
  }
  std::vector<T> rows() && { return std::move(rows_); }

 private:
  std::int64_t n_;
  std::vector<T> rows_;
};

/// Their matrix is the product of a lower triangle of ones and an upper one of ones, but for
/// `pivot` at the diagonal's element `column`, and for `last` more in the first element of the last
/// column, which makes that of all rows greater. Elimination is exact where the type has the sums.
template <class T>
std::vector<T> with_pivot(std::int64_t n, std::int64_t column, T pivot, T last = 0) {
  Equations<T> result(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= n; ++j) {
      T sum = static_cast<T>(std::min(i, j) + 1);
      if (j == column && i >= column) sum += pivot - 1;
      result.at(i, j) = j == n - 1 ? sum + last : sum;
    }
  }
  return std::move(result).rows();
}

/// A diagonal of `all` but for `pivot` in one column.
template <class T>
std::vector<T> diagonal(std::int64_t n, T all, std::int64_t column, T pivot) {
  Equations<T> result(n);
  for (std::int64_t i = 0; i < n; ++i) result.at(i, i) = i == column ? pivot : all;
  return std::move(result).rows();
}

/// An element that overflows in row `column`, below one of m / 16 in a diagonal of m: from it 16 m
/// is taken. It is element `other` of the row, and 0 at first, but m on the diagonal.
template <class T>
std::vector<T> with_overflow(std::int64_t n, std::int64_t column, std::int64_t other) {
  constexpr T m = std::numeric_limits<T>::max() / 2;
  Equations<T> result(n);
  for (std::int64_t i = 0; i < n; ++i) result.at(i, i) = m;
  result.at(column - 1, column - 1) = m / 16;
  result.at(column - 1, other) = m;
  result.at(column, column - 1) = m;
  return std::move(result).rows();
}

}  // namespace portcost::test
