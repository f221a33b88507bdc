// SPDX-License-Identifier: Apache-2.0
// Portable step over processes: Kokkos inside MPI, by the step that is fastest where it runs.
#include "variants/heat2d/ranks.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::heat2d {

Rungs kokkos_rungs();
Rungs kokkos_book_rungs();

namespace {

constexpr std::string_view step_in(Place place) {
  return place == Place::device ? "register_march" : "naive";
}

using Gpus = std::integral_constant<Place, Place::device>;
using Cores = std::integral_constant<Place, Place::host>;
using Processors = ShapeIn<kokkos_place(), Gpus, Cores>;

}  // namespace

Rungs kokkos_ranks_rungs() {
  return {
      distributed_rung(kokkos_rungs(), step_in(kokkos_shapes), Processors::value),
      distributed_rung(kokkos_book_rungs(), step_in(kokkos_shapes), Processors::value, Way::book)};
}

}  // namespace portcost::heat2d
