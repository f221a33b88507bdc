// SPDX-License-Identifier: Apache-2.0
// Every algorithm there is.
#pragma once

#include <span>
#include <string_view>

#include "src/contract/algorithm.hpp"

namespace portcost {

/// In the order in which they are listed and measured.
std::span<const Algorithm* const> catalogue();

/// The algorithm called `name`; null when this build has none.
const Algorithm* find_algorithm(std::string_view name);

/// The same of one that is known to be there; throws Failure when it is not.
const Algorithm& algorithm_called(std::string_view name);

}  // namespace portcost
