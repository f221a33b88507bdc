// SPDX-License-Identifier: Apache-2.0
// Native CPU step over processes: OpenMP inside MPI.
#include "variants/gauss/ranks.hpp"

namespace portcost::gauss {

Rungs openmp_rungs();

Rungs openmp_ranks_rungs() {
  return {
      distributed_rung(openmp_rungs(), step_over_ranks(Place::host), unfit_tile_rows(Place::host))};
}

}  // namespace portcost::gauss
