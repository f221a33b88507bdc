// SPDX-License-Identifier: Apache-2.0
#include "src/files/equations.hpp"

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
  std::vector<double> of_rows;
  for (std::int64_t i = 0; i < n; ++i) {
    of_rows.push_back(greatest(std::span(row_of(lu, n, i) + i, row_of(lu, n, i) + n)));
  }
  return greatest(of_rows);
}

template <class T>
std::vector<double> back_substituted(std::span<const T> lu, std::int64_t n) {
  std::vector<double> x(static_cast<std::size_t>(n));
  for (std::int64_t i = n - 1; i >= 0; --i) {
    const T* const row = row_of(lu, n, i);
    double left = row[n];
    for (std::int64_t j = i + 1; j < n; ++j) left -= row[j] * x[j];
    x[i] = left / row[i];
  }
  return x;
}

template <class T>
std::vector<Wide<T>> residual_of(std::span<const double> rows, std::int64_t n,
                                 std::span<const double> x) {
  std::vector<Wide<T>> result(static_cast<std::size_t>(n));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const double* const row = row_of(rows, n, i);
    Wide<T> left = row[n];
    for (std::int64_t j = 0; j < n; ++j) left -= Wide<T>{row[j]} * x[j];
    result[i] = left;
  }
  return result;
}

// In long doubles, because products may overflow a double.
long double backward_scale(std::span<const double> rows, std::int64_t n,
                           std::span<const double> x) {
  long double norm = 0, right = 0;
#pragma omp parallel for schedule(static) reduction(max : norm, right)
  for (std::int64_t i = 0; i < n; ++i) {
    const double* const row = row_of(rows, n, i);
    long double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += std::abs(row[j]);
    norm = std::max(norm, sum);
    right = std::max(right, static_cast<long double>(std::abs(row[n])));
  }
  return norm * greatest(x) + right;
}

template <class T>
std::vector<Wide<T>> residual_allowed(std::span<const double> rows, std::span<const T> lu,
                                      std::int64_t n, std::span<const double> x) {
  using W = Wide<T>;
  const W share = gamma_of<T>(3 * n + 4), of_sums = gamma_of<W>(n + 2);
  const W least = std::numeric_limits<T>::denorm_min(), products = static_cast<W>(n);
  const auto unknown = [&](std::int64_t j) { return W{std::abs(x[j])}; };
  const auto size = [](T element) { return W{std::abs(element)}; };
  // What |L| is multiplied with: gamma |U||x|, and what back substitution may lose.
  std::vector<W> above(static_cast<std::size_t>(n));
  W lost = products;  // by elimination: of each product, and of each multiplier
#pragma omp parallel for schedule(static) reduction(+ : lost)
  for (std::int64_t i = 0; i < n; ++i) {
    const T* const row = row_of(lu, n, i);
    W worth = 0;
    for (std::int64_t j = i; j < n; ++j) worth += size(row[j]) * unknown(j);
    above[i] = share * worth + least * (products + size(row[i]));
    lost += (products + size(row[i])) * unknown(i);
  }
  std::vector<W> result(above);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const T* const left = row_of(lu, n, i);
    const double* const given = row_of(rows, n, i);
    const auto rounded = [&](std::int64_t j) {
      return W{std::abs(given[j] - static_cast<T>(given[j]))};
    };
    W allowed = least * lost + rounded(n), worth = std::abs(given[n]);
    for (std::int64_t j = 0; j < i; ++j) allowed += size(left[j]) * above[j];
    for (std::int64_t j = 0; j < n; ++j) {
      allowed += rounded(j) * unknown(j);
      worth += W{std::abs(given[j])} * unknown(j);
    }
    result[i] += allowed + of_sums * worth;
  }
  return result;
}

template double greatest_left(std::span<const float>, std::int64_t);
template double greatest_left(std::span<const double>, std::int64_t);
template std::vector<double> back_substituted(std::span<const float>, std::int64_t);
template std::vector<double> back_substituted(std::span<const double>, std::int64_t);
template std::vector<double> residual_of<float>(std::span<const double>, std::int64_t,
                                                std::span<const double>);
template std::vector<long double> residual_of<double>(std::span<const double>, std::int64_t,
                                                      std::span<const double>);
template std::vector<double> residual_allowed(std::span<const double>, std::span<const float>,
                                              std::int64_t, std::span<const double>);
template std::vector<long double> residual_allowed(std::span<const double>, std::span<const double>,
                                                   std::int64_t, std::span<const double>);

}  // namespace portcost
