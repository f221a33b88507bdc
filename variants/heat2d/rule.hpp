// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one explicit step (variants/shared/heat_rule.hpp).
#pragma once

#include "variants/shared/heat_rule.hpp"

namespace portcost::heat2d {

using portcost::Coefficients;
using portcost::heat_step;

}  // namespace portcost::heat2d
