// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows, vectors along them.
#include "variants/jacobi/host_bodies.hpp"
#include "variants/jacobi/ranks_launches.hpp"

namespace portcost::jacobi {

namespace {

template <class T>
void naive_sweep(const Sweep<T>& s) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < s.rows; ++y) relax_row(s, y, 0, s.columns);
}

template <class T>
void three_rows_sweep(const Task<T>& task) {
  const Bands<T> bands(task);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < bands.count; ++b) bands.save_edges(b);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < bands.count; ++b) bands.relax(b);
}

template <class T>
void many_steps_pass(const Sweep<T>& s, int sweeps, int threads) {
  const ManyStepsTiles<T> tiles(s, sweeps, threads);
#pragma omp parallel for schedule(static)
  for (int tile = 0; tile < tiles.count(); ++tile) tiles.advance(tile);
}

template <class T>
void greatest_residual(const Sweep<T>& s, T* into) {
  Bits<T> greatest = 0;
#pragma omp parallel for schedule(static) reduction(max : greatest)
  for (int y = 0; y < s.rows; ++y) greatest = greatest_of_row(s, y, greatest);
  std::memcpy(into, &greatest, sizeof(T));
}

template <class T>
Launches<T> launches() {
  const auto sweep = [](const Sweep<T>& s, const Stream&) { naive_sweep(s); };
  return {sweep, sweep,
          [](const Sweep<T>& s, int sweeps, int threads, const Stream&) {
            many_steps_pass(s, sweeps, threads);
          },
          [](const Sweep<T>& s, T* into, const Stream&) { greatest_residual(s, into); }};
}

}  // namespace

ModelLaunches openmp_launches() { return {launches<float>(), launches<double>()}; }

Rungs openmp_rungs() {
  const auto naive = []<class T>(const Task<T>& task, const Stream&) {
    carry_out(
        task, 1, [](const Sweep<T>& s, int) { naive_sweep(s); }, greatest_residual<T>);
  };
  const auto three_rows = [](const auto& task, const Stream&) {
    for (int sweep = 0; sweep < task.sweeps; ++sweep) three_rows_sweep(task);
    if (task.residual != nullptr) greatest_residual(task.sweep(), task.residual);
  };
  const auto many_steps = []<class T>(const Task<T>& task, const Stream&) {
    carry_out(
        task, task.depth,
        [&](const Sweep<T>& s, int sweeps) { many_steps_pass(s, sweeps, task.processors); },
        greatest_residual<T>);
  };
  return {rung(works, "naive", naive), rung(works, "three_rows", three_rows),
          rung(works, "many_steps", many_steps)};
}

}  // namespace portcost::jacobi
