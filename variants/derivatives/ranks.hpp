// SPDX-License-Identifier: Apache-2.0
// derivatives over processes (ranks): each has a slab of planes, and four planes of either
// neighbour around it.
#pragma once

#include "variants/derivatives/problem.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost::derivatives {

/// For Rung::unless, of a model that runs in `place`.
Unfit unfit_over_ranks(Place place);

}  // namespace portcost::derivatives
