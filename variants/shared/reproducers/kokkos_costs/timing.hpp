// SPDX-License-Identifier: Apache-2.0
// For these programs: the time of a kernel, and a size as the first argument.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>

/// Prints the microseconds of a call of f, from 20 calls in a row after a first call.
template <class F>
void time(const char* what, const F& f) {
  f();
  Kokkos::fence();
  const Kokkos::Timer timer;
  for (int i = 0; i < 20; ++i) f();
  Kokkos::fence();
  std::printf("%-52s %10.2f us\n", what, timer.seconds() / 20 * 1e6);
}

inline int size_from(int argc, char** argv, int size) {
  return argc > 1 ? std::atoi(argv[1]) : size;
}
inline constexpr bool on_gpu =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                Kokkos::DefaultExecutionSpace::memory_space>::accessible;
