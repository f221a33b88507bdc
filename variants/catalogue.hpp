// SPDX-License-Identifier: Apache-2.0
// Every algorithm there is: a literal table, one row each.
#pragma once

#include <span>

#include "src/contract/algorithm.hpp"

namespace portcost {

/// In the order in which they are listed and measured.
std::span<const Algorithm* const> catalogue();

}  // namespace portcost
