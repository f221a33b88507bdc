// SPDX-License-Identifier: Apache-2.0
// Portable steps over processes: Kokkos inside MPI. Blocks are transposed by the kernel of
// whole_sectors on a GPU and of blocked on the cores of a process.
#include <type_traits>

#include "variants/transpose/kokkos/blocked.hpp"
#include "variants/transpose/kokkos/whole_sectors.hpp"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

namespace {

constexpr const char* label = "portcost::transpose::block";

template <Way way>
struct BySectors {
  template <template <class> class At, class T>
  static void transpose_all(const At<T>& s, int batch, const Stream& on) {
    launch_sectors<At, way>(label, s, batch, on);
  }
  template <class T>
  static void transpose(const Submatrix<T>& s, int batch, const Stream& on) {
    transpose_all(s, batch, on);
  }
};
template <Way way>
struct ByGroups {
  template <class T>
  static void transpose(const Submatrix<T>& s, int batch, const Stream& on) {
    launch_grid<BlockedOf<Submatrix, T, way>>(label, s, batch, on, ceil_div(s.ny, group),
                                              ceil_div(s.nx, group));
  }
};

template <Way way>
ModelLaunches launches() {
  using Kernels = ShapeIn<kokkos_shapes, BySectors<way>, ByGroups<way>>;
  return {Kernels::template transpose<float>, Kernels::template transpose<double>};
}

// Loads and stores reach other ranks' memory from GPUs alone.
struct OnGpu : std::integral_constant<Place, Place::device> {
  template <Way way>
  static void add_direct(Rungs& rungs) {
    using Kernels = BySectors<way>;
    rungs = joined(
        {std::move(rungs), direct_rungs({Kernels::template transpose_all<RowsOfRanks, float>,
                                         Kernels::template transpose_all<RowsOfRanks, double>},
                                        {Kernels::template transpose_all<RowsToRanks, float>,
                                         Kernels::template transpose_all<RowsToRanks, double>})});
  }
};
struct OnCores : std::integral_constant<Place, Place::host> {
  template <Way>
  static void add_direct(Rungs&) {}
};
using Processors = ShapeIn<kokkos_place(), OnGpu, OnCores>;

template <Way way>
Rungs steps(const ModelLaunches& model) {
  Rungs result = rungs_over_ranks(model, Processors::value);
  Processors::add_direct<way>(result);
  for (Rung& one : result) one.way = way;
  return result;
}

}  // namespace

ModelLaunches kokkos_launches() { return launches<Way::tuned>(); }
ModelLaunches kokkos_launches_by_the_book() { return launches<Way::book>(); }

Rungs kokkos_ranks_rungs() {
  return joined(
      {steps<Way::tuned>(kokkos_launches()), steps<Way::book>(kokkos_launches_by_the_book())});
}

}  // namespace portcost::transpose
