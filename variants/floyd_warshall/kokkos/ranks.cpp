// SPDX-License-Identifier: Apache-2.0
// Portable step over processes: Kokkos inside MPI.
#include "variants/floyd_warshall/ranks.hpp"
#include "variants/shared/kokkos_ranks.hpp"

namespace portcost::floyd_warshall {

Rungs kokkos_rungs();
Rungs kokkos_book_rungs();

Rungs kokkos_ranks_rungs() {
  return distributed_rungs(kokkos_rungs(), kokkos_book_rungs(), step_over_ranks, unfit_tile_rows);
}

}  // namespace portcost::floyd_warshall
