// SPDX-License-Identifier: Apache-2.0
// heat2d over processes (ranks): each has a block of rows and its neighbours' next rows around it.
#pragma once

#include "variants/heat2d/problem.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost::heat2d {

/// The step that runs on a rank's share: the one that is fastest in this place.
constexpr std::string_view step_over_ranks(Place place) {
  return place == Place::device ? "register_march" : "naive";
}

/// For Rung::unless, of a model that runs in `place`.
inline Unfit unfit_over_ranks(Place place) {
  return on_path("halos", place, [](const Problem& p) {
    return distributed::why_not_shared(p.size.at("ny"), std::max(1, p.ranks),
                                       distributed::Sharing::even, "rows");
  });
}

}  // namespace portcost::heat2d
