// SPDX-License-Identifier: Apache-2.0
// The arithmetic of Gauss elimination: variants/shared/lu_rule.hpp, and a multiplier.
#pragma once

#include "variants/shared/lu_rule.hpp"

namespace portcost::gauss {

using portcost::eliminate;
using portcost::is_bad_pivot;
using portcost::quick_reciprocal;
using portcost::quick_reciprocal_holds;
using portcost::reciprocal;

/// The factor by which the pivot's row is multiplied before it is subtracted from the element's
/// row.
template <class T>
PORTCOST_HOST_DEVICE inline T multiplier(T element, T pivot) {
  return element * reciprocal(pivot);
}

}  // namespace portcost::gauss
