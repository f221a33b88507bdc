// SPDX-License-Identifier: Apache-2.0
// Native CPU step over processes: OpenMP inside MPI.
#include "variants/heat2d/ranks.hpp"

namespace portcost::heat2d {

Rungs openmp_rungs();

Rungs openmp_ranks_rungs() {
  return {distributed_rung(openmp_rungs(), step_over_ranks(Place::host),
                           unfit_over_ranks(Place::host))};
}

}  // namespace portcost::heat2d
