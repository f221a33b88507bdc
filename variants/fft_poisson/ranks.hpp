// SPDX-License-Identifier: Apache-2.0
// fft_poisson over processes (ranks): each rank has a slab of the grid. Plain C++.
#pragma once

#include "variants/fft_poisson/problem.hpp"

namespace portcost::fft_poisson {

/// A model's kernel between the transforms: the division of each mode of a grid, times `factor`.
template <class T>
using Divide = void (*)(const Grid<T>&, double factor, const Stream&);

/// The step `slabs` of a model, by default where Kokkos runs.
Rungs slabs(Divide<float> in_f32, Divide<double> in_f64, Way way = Way::tuned,
            Place place = kokkos_place());

}  // namespace portcost::fft_poisson
