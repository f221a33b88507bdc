// SPDX-License-Identifier: Apache-2.0
// derivatives over processes (ranks): each has a slab of planes, and four planes of either
// neighbour around it.
#pragma once

#include "variants/derivatives/problem.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost::derivatives {

/// The step that runs on a rank's share: the one that is fastest in this place.
constexpr std::string_view step_over_ranks(Place place) {
  return place == Place::device ? "laplacian" : "naive";
}

/// For Rung::unless, of a model that runs in `place`.
Unfit unfit_over_ranks(Place place);

}  // namespace portcost::derivatives
