// SPDX-License-Identifier: Apache-2.0
// Native CPU step over processes: OpenMP inside MPI.
#include "variants/floyd_warshall/ranks.hpp"

namespace portcost::floyd_warshall {

Rungs openmp_rungs();

Rungs openmp_ranks_rungs() {
  return {
      distributed_rung(openmp_rungs(), step_over_ranks(Place::host), unfit_tile_rows(Place::host))};
}

}  // namespace portcost::floyd_warshall
