// SPDX-License-Identifier: Apache-2.0
// Common to the truths of algorithms that eliminate without pivoting: in which precision factors
// are multiplied, and how far their product may be from the matrix.
//
// N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, theorem 9.3: however
// its products are ordered, elimination that runs to its end leaves |L U - A| <= gamma_n |L||U|,
// element by element, with gamma_n = n u / (1 - n u) and u half the distance from 1 to the next
// number.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/contract/algorithm.hpp"
#include "variants/numbers.hpp"

namespace portcost {

/// Calls action(T{}) of the problem's type, f32 or f64.
template <class Action>
auto typed(const Problem& problem, const Action& action) {
  return problem.type == ElementType::f64 ? action(double{}) : action(float{});
}

/// In which products are added up.
template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

/// gamma of `roundings`, and 2^-8 of it more for the roundings of what it is compared with.
template <class T>
double gamma_of(std::int64_t roundings) {
  const double error = static_cast<double>(roundings) * std::numeric_limits<T>::epsilon() / 2;
  return error / (1 - error) * (1 + 0x1p-8);
}
/// What `products` products may lose where they are too small for the type.
template <class T>
double lost(std::int64_t products) {
  return static_cast<double>(products) * std::numeric_limits<T>::denorm_min();
}

/// The sign that all elements of column j are added with.
inline double sign_of(std::uint64_t seed, std::int64_t j) {
  return random_bits(seed ^ 0x5151, static_cast<std::uint64_t>(j)) >> 63 == 0 ? 1 : -1;
}

}  // namespace portcost
