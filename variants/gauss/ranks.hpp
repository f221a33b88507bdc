// SPDX-License-Identifier: Apache-2.0
// gauss over processes (ranks): tile rows are distributed cyclically, and pivot rows broadcast.
#pragma once

#include "variants/gauss/problem.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost::gauss {

/// For Rung::unless, of a model that runs in `place`.
Unfit unfit_over_ranks(Place place);

}  // namespace portcost::gauss
