// SPDX-License-Identifier: Apache-2.0
// A model's functions for the steps over processes: its sweeps of a box. Plain C++.
#pragma once

#include <tuple>

#include "src/memory/stream.hpp"
#include "variants/jacobi/problem.hpp"

namespace portcost::jacobi {

/// Each function enqueues work on a box of nodes with the rows and columns around it.
template <class T>
struct Launches {
  /// A sweep that writes the box and nothing else (naive).
  void (*sweep)(const Sweep<T>&, const Stream&);
  /// The same where the box begins at a line of 128 bytes and ends with a 16-byte pack, or at the
  /// frame's last column: the sweep may rewrite that column and the columns behind it unchanged.
  void (*whole_rows)(const Sweep<T>&, const Stream&);
  /// 1, 2, 4 or 8 sweeps of a box of all columns, in one pass. The rows around the box count as a
  /// frame.
  void (*many)(const Sweep<T>&, int sweeps, int processors, const Stream&);
  /// The greatest residual of `in`, to one element in the same place.
  void (*residual)(const Sweep<T>&, T* into, const Stream&);
};

using ModelLaunches = std::tuple<Launches<float>, Launches<double>>;
ModelLaunches openmp_launches();              // this process's OpenMP threads (openmp.cpp)
ModelLaunches cuda_launches();                // its GPU (cuda.cu)
ModelLaunches kokkos_launches();              // where this build's Kokkos runs (kokkos.cpp)
ModelLaunches kokkos_launches_by_the_book();  // the same (kokkos/book.cpp)

}  // namespace portcost::jacobi
