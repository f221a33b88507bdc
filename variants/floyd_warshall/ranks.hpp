// SPDX-License-Identifier: Apache-2.0
// floyd_warshall over processes (ranks): each updates a block of rows, and the pivot rows are
// broadcast.
#pragma once

#include "variants/floyd_warshall/problem.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost::floyd_warshall {

/// The step that runs on a rank's share: the one that is fastest in this place.
constexpr std::string_view step_over_ranks(Place) { return "register_tile"; }

}  // namespace portcost::floyd_warshall
