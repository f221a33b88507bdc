// SPDX-License-Identifier: Apache-2.0
// The arithmetic of elimination (variants/shared/lu_rule.hpp); a pivot's reciprocal is computed
// once, for all rows below it.
#pragma once

#include "variants/shared/lu_rule.hpp"

namespace portcost::gauss_batched {

using portcost::eliminate;
using portcost::is_bad_pivot;
using portcost::reciprocal;

/// The factor by which the pivot's row is multiplied before it is subtracted from the element's
/// row: the element in the pivot's column times the pivot's reciprocal.
template <class T>
PORTCOST_HOST_DEVICE inline T multiplier(T element, T inverse) {
  return element * inverse;
}

}  // namespace portcost::gauss_batched
