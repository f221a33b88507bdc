// SPDX-License-Identifier: Apache-2.0
// Every algorithm there is.
#pragma once

#include <span>
#include <string_view>

#include "src/contract/algorithm.hpp"

namespace portcost {

/// In the order in which they are listed and measured.
std::span<const Algorithm* const> catalogue();

/// The algorithm called `name`; throws Failure when there is none.
const Algorithm& algorithm_called(std::string_view name);

}  // namespace portcost
