// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows, vectors along them.
#include <algorithm>
#include <utility>

#include "variants/jacobi/openmp/many_steps.hpp"
#include "variants/jacobi/problem.hpp"
#include "variants/jacobi/ranks_launches.hpp"

namespace portcost::jacobi {

namespace {

template <class T>
void naive_sweep(const Sweep<T>& s) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < s.rows; ++y) {
    relax_row(s.c, s.row_in(y - 1), s.row_in(y), s.row_in(y + 1), s.row_right(y), s.row_out(y), 0,
              s.columns);
  }
}

// The four rows of a band's memory, each by its node of column 0.
template <class T>
T* buffer_row(const Task<T>& task, int band, int row) {
  return task.buffers + (std::int64_t{band} * buffer_rows + row) * task.pitch + margin<T>;
}

// Copies a row and the frame's node on either side.
template <class T>
void copy_row(const T* from, int columns, T* to) {
  std::copy(from - 1, from + columns + 1, to - 1);
}

// In place: buffers hold a row's old values until the row below has been computed. First each band
// saves its neighbours' rows, which the neighbours overwrite.
template <class T>
void three_rows_sweep(const Task<T>& task) {
  const Sweep<T> s = task.sweep();
  T* const grid = task.grids->now;
  const int bands = std::min(task.processors, s.rows);
#pragma omp parallel for schedule(static)
  for (int b = 0; b < bands; ++b) {
    const Band band = band_of(s.rows, bands, b);
    if (band.first == band.end) continue;
    copy_row(s.row_in(band.first - 1), s.columns, buffer_row(task, b, 0));
    copy_row(s.row_in(band.end), s.columns, buffer_row(task, b, 3));
  }
#pragma omp parallel for schedule(static)
  for (int b = 0; b < bands; ++b) {
    const Band band = band_of(s.rows, bands, b);
    if (band.first == band.end) continue;
    T *upper = buffer_row(task, b, 0), *middle = buffer_row(task, b, 1),
      *lower = buffer_row(task, b, 2);
    copy_row(s.row_in(band.first), s.columns, middle);
    for (int y = band.first; y < band.end; ++y) {
      const bool last = y + 1 == band.end;
      if (!last) copy_row(s.row_in(y + 1), s.columns, lower);
      const T* const below = last ? buffer_row(task, b, 3) : lower;
      relax_row(s.c, upper, middle, below, s.row_right(y), grid + s.offset(y), 0, s.columns);
      std::swap(upper, middle);
      std::swap(middle, lower);
    }
  }
}

template <class T>
void greatest_residual(const Sweep<T>& s, T* into) {
  Bits<T> greatest = 0;
#pragma omp parallel for schedule(static) reduction(max : greatest)
  for (int y = 0; y < s.rows; ++y) {
    const T *const row = s.row_in(y), *const north = s.row_in(y - 1),
                   *const south = s.row_in(y + 1), *const right = s.row_right(y);
    for (int x = 0; x < s.columns; ++x) {
      greatest = std::max(greatest, bits_of(residual(s.c, row[x], north[x], south[x], row[x - 1],
                                                     row[x + 1], right[x])));
    }
  }
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
