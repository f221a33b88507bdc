// SPDX-License-Identifier: Apache-2.0
// Portable steps over processes: Kokkos inside MPI, on a GPU or on the cores of each process. On
// the cores next to a GPU (hybrid), Kokkos's host space distributes tiles and rows whose work is
// the plain C++ of OpenMP, because teams' shapes are for one place alone.
#include "variants/jacobi/host_bodies.hpp"
#include "variants/jacobi/ranks_launches.hpp"
#include "variants/jacobi/ranks_steps.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::jacobi {

namespace {

using Cores = Kokkos::DefaultHostExecutionSpace;
using Range = Kokkos::RangePolicy<Cores, Kokkos::IndexType<int>>;

template <class T>
void sweep_on_cores(const Sweep<T>& s, const Stream&) {
  Kokkos::parallel_for("portcost::jacobi::rows_of_cores", Range(0, s.rows),
                       [=](int y) { relax_row(s, y, 0, s.columns); });
  Cores().fence();
}

template <class T>
void many_on_cores(const Sweep<T>& s, int sweeps, int threads, const Stream&) {
  const ManyStepsTiles<T> tiles(s, sweeps, threads);
  Kokkos::parallel_for("portcost::jacobi::tiles_of_cores", Range(0, tiles.count()),
                       [=](int tile) { tiles.advance(tile); });
  Cores().fence();
}

template <class T>
void residual_on_cores(const Sweep<T>& s, T* into, const Stream&) {
  Bits<T> greatest = 0;
  Kokkos::parallel_reduce(
      "portcost::jacobi::residual_of_cores", Range(0, s.rows),
      [=](int y, Bits<T>& most) { most = greatest_of_row(s, y, most); },
      Kokkos::Max<Bits<T>>(greatest));
  std::memcpy(into, &greatest, sizeof(T));
}

template <class T>
Launches<T> on_cores() {
  return {sweep_on_cores<T>, sweep_on_cores<T>, many_on_cores<T>, residual_on_cores<T>};
}

// With a GPU, cores help it; without a GPU, a process has only its cores.
struct WithGpu : std::integral_constant<Place, Place::device> {
  template <class Model>
  static Rung hybrid(const Model& model) {
    return hybrid_rung(model, {on_cores<float>(), on_cores<double>()});
  }
};
struct CoresAlone : std::integral_constant<Place, Place::host> {
  template <class Model>
  static Rung hybrid(const Model& model) {
    return hybrid_rung(model);
  }
};
using Processors = ShapeIn<kokkos_place(), WithGpu, CoresAlone>;

Rungs steps(const ModelLaunches& model, Way way) {
  Rungs result = rungs_over_ranks(model, Processors::value);
  result.push_back(Processors::hybrid(model));
  for (Rung& one : result) one.way = way;
  return result;
}

}  // namespace

Rungs kokkos_ranks_rungs() {
  Rungs result = steps(kokkos_launches(), Way::tuned);
  for (Rung& one : steps(kokkos_launches_by_the_book(), Way::book))
    result.push_back(std::move(one));
  return result;
}

}  // namespace portcost::jacobi
