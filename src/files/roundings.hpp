// SPDX-License-Identifier: Apache-2.0
// How far roundings may carry sums of products, as N. J. Higham counts them (Accuracy and Stability
// of Numerical Algorithms, 2nd edition, section 3.1), and in what they are added up to be held
// against that.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

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

}  // namespace portcost
