// SPDX-License-Identifier: Apache-2.0
// Portable step over processes: Kokkos inside MPI.
#include "variants/floyd_warshall/ranks.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::floyd_warshall {

Rungs kokkos_rungs();
Rungs kokkos_book_rungs();

Rungs kokkos_ranks_rungs() {
  const Unfit unfit = unfit_over_ranks(kokkos_place());
  return {distributed_rung(kokkos_rungs(), "register_tile", unfit),
          distributed_rung(kokkos_book_rungs(), "register_tile", unfit, Way::book)};
}

}  // namespace portcost::floyd_warshall
