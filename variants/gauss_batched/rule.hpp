// SPDX-License-Identifier: Apache-2.0
// The arithmetic of elimination (variants/shared/lu_rule.hpp), where a pivot's reciprocal is taken
// once and then serves the rows below it.
#pragma once

#include "variants/shared/lu_rule.hpp"

namespace portcost::gauss_batched {

using portcost::eliminate;
using portcost::is_bad_pivot;
using portcost::reciprocal;

/// By what the pivot's row is multiplied before it is taken from the element's row: the element in
/// the pivot's column times the pivot's reciprocal.
template <class T>
PORTCOST_HOST_DEVICE inline T multiplier(T element, T inverse) {
  return element * inverse;
}

}  // namespace portcost::gauss_batched
