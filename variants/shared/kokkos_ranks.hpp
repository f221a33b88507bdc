// SPDX-License-Identifier: Apache-2.0
// Steps over processes of both portable tables.
#pragma once

#include "variants/shared/kokkos_space.hpp"
#include "variants/shared/ranks_task.hpp"

namespace portcost {

/// `distributed`, tuned and by the book, by the step step_in(place whose shapes the kernels use).
template <class StepIn>
Rungs distributed_rungs(const Rungs& tuned, const Rungs& book, const StepIn& step_in,
                        Unfit (*unfit_in)(Place)) {
  const std::string_view step = step_in(kokkos_shapes);
  const Unfit unfit = unfit_in(kokkos_place());
  return {distributed_rung(tuned, step, unfit), distributed_rung(book, step, unfit, Way::book)};
}

}  // namespace portcost
