// SPDX-License-Identifier: Apache-2.0
// Common to algorithms that eliminate without pivoting: the arithmetic of one pivot and of one
// element, and what pivot is refused. Plain C++.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/memory/host_device.hpp"

namespace portcost {

/// By what an element below the pivot is multiplied. One division a pivot, as in LAPACK's getf2.
template <class T>
PORTCOST_HOST_DEVICE inline T reciprocal(T pivot) {
  return T(1) / pivot;
}

/// The element less the multiple of the one in the pivot's row, rounded once.
///
/// Bit for bit the same from every compiler, because the product stands in a spelled-out fused
/// multiply-add. So all variants that take an element's products in the order of their columns, and
/// begin with the element itself, have equal answers, in blocks or not.
template <class T>
PORTCOST_HOST_DEVICE inline T eliminate(T element, T multiplier, T from) {
  return std::fma(-multiplier, from, element);
}

/// The greatest number of a type; device code may not call std::numeric_limits.
template <class T>
inline constexpr T greatest_number = std::numeric_limits<T>::max();

/// Whether a pivot is refused: no greater than `tiny` (tiny_pivot), infinite because elimination
/// overflowed, or no number.
template <class T>
PORTCOST_HOST_DEVICE inline bool is_bad_pivot(T pivot, T tiny) {
  constexpr T most = greatest_number<T>;
  return !(std::fabs(pivot) > tiny && std::fabs(pivot) <= most);
}

/// The greatest pivot that is refused where `greatest` is the greatest element, both without signs:
/// so small that rounding the greatest element once could have made it, or that its reciprocal
/// might be no number of the type.
template <class T>
T tiny_pivot(T greatest) {
  return std::max(greatest * std::numeric_limits<T>::epsilon() / 2, std::numeric_limits<T>::min());
}

}  // namespace portcost
