// SPDX-License-Identifier: Apache-2.0
// gauss over processes (ranks): tile rows are distributed cyclically, and pivot rows broadcast.
#pragma once

#include "variants/gauss/problem.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost::gauss {

/// The step that runs on a rank's share: the one that is fastest in this place.
constexpr std::string_view step_over_ranks(Place) { return "panel"; }

}  // namespace portcost::gauss
