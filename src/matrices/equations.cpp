// SPDX-License-Identifier: Apache-2.0
#include "src/matrices/equations.hpp"

#include <algorithm>
#include <cmath>

namespace portcost {

namespace {

template <class T>
T* row_of(std::span<T> rows, std::int64_t n, std::int64_t i) {
  return rows.data() + i * (n + 1);
}

}  // namespace

void add_up_right_sides(std::span<double> rows, std::int64_t n) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    double* const row = row_of(rows, n, i);
    long double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += row[j];
    row[n] = static_cast<double>(sum);
  }
}

double greatest_coefficient(std::span<const double> rows, std::int64_t n) {
  double most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (std::int64_t i = 0; i < n; ++i) {
    const double* const row = row_of(rows, n, i);
    for (std::int64_t j = 0; j < n; ++j) most = std::max(most, std::abs(row[j]));
  }
  return most;
}

template <class T>
double greatest_left(std::span<const T> lu, std::int64_t n) {
  double most = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const T* const row = row_of(lu, n, i);
    for (std::int64_t j = i; j < n; ++j) {
      const double value = std::abs(static_cast<double>(row[j]));
      if (!(value <= most)) most = value;
      if (std::isnan(most)) return most;
    }
  }
  return most;
}

template <class T>
std::vector<double> back_substituted(std::span<const T> lu, std::int64_t n) {
  std::vector<double> x(static_cast<std::size_t>(n));
  for (std::int64_t i = n - 1; i >= 0; --i) {
    const T* const row = row_of(lu, n, i);
    double left = row[n];
    for (std::int64_t j = i + 1; j < n; ++j) left -= row[j] * x[static_cast<std::size_t>(j)];
    x[static_cast<std::size_t>(i)] = left / row[i];
  }
  return x;
}

template <class Wide>
double backward_error(std::span<const double> rows, std::int64_t n, std::span<const double> x) {
  Wide off = 0, norm = 0, right = 0, unknown = 0;
#pragma omp parallel for schedule(static) reduction(max : off, norm, right, unknown)
  for (std::int64_t i = 0; i < n; ++i) {
    const double* const row = row_of(rows, n, i);
    Wide left = row[n], sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      left -= Wide{row[j]} * x[static_cast<std::size_t>(j)];
      sum += std::abs(row[j]);
    }
    off = std::max(off, std::abs(left));
    norm = std::max(norm, sum);
    right = std::max(right, Wide{std::abs(row[n])});
    unknown = std::max(unknown, Wide{std::abs(x[static_cast<std::size_t>(i)])});
  }
  // As long doubles, because the product may overflow a double.
  const long double all = static_cast<long double>(norm) * unknown + right;
  return off == 0 ? 0 : static_cast<double>(off / all);
}

template double greatest_left(std::span<const float>, std::int64_t);
template double greatest_left(std::span<const double>, std::int64_t);
template std::vector<double> back_substituted(std::span<const float>, std::int64_t);
template std::vector<double> back_substituted(std::span<const double>, std::int64_t);
template double backward_error<double>(std::span<const double>, std::int64_t,
                                       std::span<const double>);
template double backward_error<long double>(std::span<const double>, std::int64_t,
                                            std::span<const double>);

}  // namespace portcost
