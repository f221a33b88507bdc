// SPDX-License-Identifier: Apache-2.0
// Systems of linear equations on the host: what comes before and after elimination. A system of n
// equations is n rows of n + 1 elements, the coefficients (the matrix A) and the right side (b).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace portcost {

/// In which products of T are added up.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

/// gamma of so many roundings, k u / (1 - k u) with u half the distance from 1 to the next number,
/// and 2^-8 of it more for the roundings of what it is compared with.
template <class T>
double gamma_of(std::int64_t roundings) {
  const auto unit = static_cast<double>(std::numeric_limits<T>::epsilon() / 2);
  const double error = static_cast<double>(roundings) * unit;
  return error / (1 - error) * (1 + 0x1p-8);
}

/// Makes each right side the sum of its row's coefficients, so that all unknowns are 1.
void add_up_right_sides(std::span<double> rows, std::int64_t n);

double greatest_coefficient(std::span<const double> rows, std::int64_t n);

/// What elimination has left (EquationSolver): the greatest |u_ij|, j >= i, NaN if one is NaN.
/// Over the greatest coefficient it is a growth factor, no greater than Higham's (section 9.3),
/// which counts what stood there between two steps of elimination, too.
template <class T>
double greatest_left(std::span<const T> lu, std::int64_t n);

/// The unknowns, from the last to the first, in f64.
template <class T>
std::vector<double> back_substituted(std::span<const T> lu, std::int64_t n);

/// The residual b - A x, row by row.
template <class T>
std::vector<Wide<T>> residual_of(std::span<const double> rows, std::int64_t n,
                                 std::span<const double> x);

/// The greatest |value|, NaN if one is NaN.
template <class Values>
auto greatest(const Values& values) {
  typename Values::value_type most = 0;
  for (const auto value : values) {
    if (!(std::abs(value) <= most)) most = std::abs(value);
    if (std::isnan(most)) break;
  }
  return most;
}

/// ||A|| ||x|| + ||b|| in maximum norms. The norm of b - A x over it is the norm-wise backward
/// error: the least change of A and b, measured by their norms, of which x is the exact solution
/// (J. L. Rigal and J. Gaches, 1967; N. J. Higham, Accuracy and Stability of Numerical Algorithms,
/// 2nd edition, section 7.1).
long double backward_scale(std::span<const double> rows, std::int64_t n, std::span<const double> x);

/// How far each row of b - A x may be from 0, where `lu` is what elimination in T has left of the
/// equations, rounded to T, and x what back substitution has made of it in f64.
///
/// Higham, theorem 9.4: (A + dA) x = b with |dA| <= gamma_3n |L||U|, element by element, however
/// sums are ordered, so that |b - A x| <= gamma_3n |L||U||x|. That is of equations in T, and where
/// nothing is too small for its type. So there is added
/// - four roundings to 3 n, because a multiplier is the element times the pivot's reciprocal, which
///   is rounded; by as much as four roundings where it is less than a normal number;
/// - by how much A and b, rounded to T, are others: |A - A_T||x| + |b - b_T|;
/// - what products and quotients may lose that are too small for T;
/// - what adding up b - A x in Wide may lose: gamma_(n+2) of it, times |A||x| + |b|.
///
/// It is a bound of what L and U are at hand: large where elimination has let them grow, and NaN
/// where they are.
template <class T>
std::vector<Wide<T>> residual_allowed(std::span<const double> rows, std::span<const T> lu,
                                      std::int64_t n, std::span<const double> x);

}  // namespace portcost
