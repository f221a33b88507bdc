// SPDX-License-Identifier: Apache-2.0
// Portable step over processes: Kokkos inside MPI.
#include "variants/gauss/ranks.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::gauss {

Rungs kokkos_rungs();
Rungs kokkos_book_rungs();

Rungs kokkos_ranks_rungs() {
  const Unfit unfit = unfit_over_ranks(kokkos_place());
  return {distributed_rung(kokkos_rungs(), "panel", unfit),
          distributed_rung(kokkos_book_rungs(), "panel", unfit, Way::book)};
}

}  // namespace portcost::gauss
