// SPDX-License-Identifier: Apache-2.0
// Every algorithm there is in this build, and those of the repository that there are not.
#pragma once

#include <span>
#include <string_view>

#include "src/contract/algorithm.hpp"

namespace portcost {

/// In the order in which they are listed and measured.
std::span<const Algorithm* const> catalogue();

/// An algorithm of the repository that this build does not have, since it was to have others only
/// (PORTCOST_ONLY).
struct LeftOut {
  std::string_view name;
  bool in_default_campaign;
};
std::span<const LeftOut> left_out();

/// The algorithm called `name`; null when this build has none.
const Algorithm* find_algorithm(std::string_view name);

/// The same of one that is known to be there; throws Failure when it is not.
const Algorithm& algorithm_called(std::string_view name);

}  // namespace portcost
