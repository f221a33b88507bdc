// SPDX-License-Identifier: Apache-2.0
// The arithmetic of Gauss elimination: a multiplier, an element less a multiple of another, and
// what pivot is refused.
#pragma once

#include <cmath>

#include "src/memory/host_device.hpp"

namespace portcost::gauss {

/// By what an element below the pivot is multiplied. One division a pivot, as in LAPACK's getf2.
template <class T>
PORTCOST_HOST_DEVICE inline T reciprocal(T pivot) {
  return T(1) / pivot;
}

/// By what the pivot's row is multiplied before it is taken from the element's row.
template <class T>
PORTCOST_HOST_DEVICE inline T multiplier(T element, T pivot) {
  return element * reciprocal(pivot);
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

/// Whether a pivot is refused: zero, so small that rounding the greatest element of the matrix once
/// could have made it or that its reciprocal might be no number of the type (`tiny`), or no number.
template <class T>
PORTCOST_HOST_DEVICE inline bool is_bad_pivot(T pivot, T tiny) {
  return !(std::fabs(pivot) > tiny);
}

}  // namespace portcost::gauss
