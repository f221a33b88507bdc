// SPDX-License-Identifier: Apache-2.0
// Portable step over processes: Kokkos inside MPI, by the step that is fastest where it runs.
#include "variants/derivatives/ranks.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::derivatives {

Rungs kokkos_rungs();
Rungs kokkos_book_rungs();

Rungs kokkos_ranks_rungs() {
  const std::string_view step = kokkos_shapes == Place::device ? "laplacian" : "naive";
  const Unfit unfit = unfit_over_ranks(kokkos_place());
  return {distributed_rung(kokkos_rungs(), step, unfit),
          distributed_rung(kokkos_book_rungs(), step, unfit, Way::book)};
}

}  // namespace portcost::derivatives
