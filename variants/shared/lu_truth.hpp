// SPDX-License-Identifier: Apache-2.0
// Common to the truths of algorithms that eliminate without pivoting: in which precision factors
// are multiplied, and how far their product may be from the matrix.
//
// N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, theorem 9.3: however
// its products are ordered, elimination that runs to its end leaves |L U - A| <= gamma_n |L||U|,
// element by element (gamma_of, src/files/roundings.hpp).
#pragma once

#include <cstdint>
#include <limits>

#include "src/contract/algorithm.hpp"
#include "src/files/roundings.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost {

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
