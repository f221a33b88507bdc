// SPDX-License-Identifier: Apache-2.0
// Systems of linear equations on the host: what comes before and after elimination. A system of n
// equations is n rows of n + 1 elements, the coefficients (the matrix A) and the right side (b).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace portcost {

/// Makes each right side the sum of its row's coefficients, so that all unknowns are 1.
void add_up_right_sides(std::span<double> rows, std::int64_t n);

/// The greatest |a_ij| of the coefficients.
double greatest_coefficient(std::span<const double> rows, std::int64_t n);

/// What elimination has left (EquationSolver): the greatest |u_ij|, j >= i, NaN if one is NaN.
template <class T>
double greatest_left(std::span<const T> lu, std::int64_t n);

/// The unknowns, from the last to the first, in f64.
template <class T>
std::vector<double> back_substituted(std::span<const T> lu, std::int64_t n);

/// The norm-wise backward error of x, ||b - A x|| / (||A|| ||x|| + ||b||) in maximum norms, added
/// up in `Wide`, double or long double; 0 where b - A x is. It is the least change of A and b,
/// measured by their norms, of which x is the exact solution (J. L. Rigal and J. Gaches, 1967; N.
/// J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 7.1).
template <class Wide>
double backward_error(std::span<const double> rows, std::int64_t n, std::span<const double> x);

}  // namespace portcost
