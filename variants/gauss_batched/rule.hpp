// SPDX-License-Identifier: Apache-2.0
// The arithmetic of elimination: a multiplier, an element less a multiple of another, and what
// pivot is refused.
#pragma once

#include <cmath>

#include "src/memory/host_device.hpp"

namespace portcost::gauss_batched {

/// By what the pivot's row is multiplied before it is taken from the element's row.
template <class T>
PORTCOST_HOST_DEVICE inline T multiplier(T element, T pivot) {
  return element / pivot;
}

/// The element less the multiple of the one in the pivot's row, rounded once.
///
/// Bit for bit the same from every compiler, because the product stands in a spelled-out fused
/// multiply-add. So all variants that take an element's products in the order of their columns, and
/// begin with the element itself, have equal answers.
template <class T>
PORTCOST_HOST_DEVICE inline T eliminate(T element, T multiplier, T from) {
  return std::fma(-multiplier, from, element);
}

/// Whether a pivot is refused: no greater than `tiny`, or no number.
template <class T>
PORTCOST_HOST_DEVICE inline bool is_bad_pivot(T pivot, T tiny) {
  return !(std::fabs(pivot) > tiny);
}

}  // namespace portcost::gauss_batched
