// SPDX-License-Identifier: Apache-2.0
// What a model's file gives to the steps over processes: its sweeps of a box. Plain C++.
#pragma once

#include <tuple>

#include "src/memory/stream.hpp"
#include "variants/jacobi/problem.hpp"

namespace portcost::jacobi {

/// Each enqueues work on a box of nodes with the rows and columns around it.
template <class T>
struct Launches {
  /// A sweep that writes the box and nothing else (naive).
  void (*sweep)(const Sweep<T>&, const Stream&);
  /// The same where the box begins on a line of 128 bytes and ends with a piece of 16, or at the
  /// frame's last column: that column and those behind it may be written as they were.
  void (*whole_rows)(const Sweep<T>&, const Stream&);
  /// 1, 2, 4 or 8 sweeps in one pass, of a box of all columns. The rows around it count as a frame.
  void (*many)(const Sweep<T>&, int sweeps, int processors, const Stream&);
  /// The greatest residual of `in`, to one element in the same place.
  void (*residual)(const Sweep<T>&, T* into, const Stream&);
};

/// Those of a model.
using ModelLaunches = std::tuple<Launches<float>, Launches<double>>;
ModelLaunches openmp_launches();              // this process's OpenMP threads (openmp.cpp)
ModelLaunches cuda_launches();                // its GPU (cuda.cu)
ModelLaunches kokkos_launches();              // where this build's Kokkos runs (kokkos.cpp)
ModelLaunches kokkos_launches_by_the_book();  // the same (kokkos/book.cpp)

}  // namespace portcost::jacobi
