// SPDX-License-Identifier: Apache-2.0
// Common to the programs that run kernels by the book with Kokkos alone.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace alone {

/// Threads of a team: `threads` on a GPU, and one on a host.
inline int team_size(int threads) {
  using Memory = Kokkos::DefaultExecutionSpace::memory_space;
  return Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible ? 1 : threads;
}

/// Fills a View: its i-th element in memory is f(i). Returns a copy on the host.
template <class View, class F>
auto filled(const View& view, const F& f) {
  const auto copy = Kokkos::create_mirror(Kokkos::HostSpace(), view);
  for (std::size_t i = 0; i < copy.size(); ++i) copy.data()[i] = f(static_cast<int>(i));
  Kokkos::deep_copy(view, copy);
  return copy;
}

/// A copy of a View on the host.
template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// Ends the program with status 1 and the step's name, unless `holds`.
inline void expect(bool holds, const char* step) {
  if (holds) return;
  std::fprintf(stderr, "%s: a wrong answer\n", step);
  std::exit(1);
}

/// Checks scale(numbers, by), which multiplies each number by a factor.
template <class Scale>
void check_scale(const Scale& scale) {
  const Kokkos::View<double*> numbers("numbers", 9001);
  filled(numbers, [](int i) { return i; });
  scale(numbers, 0.5);
  const auto scaled = on_host(numbers);
  for (int i = 0; i < 9001; ++i) expect(scaled(i) == 0.5 * i, "scale");
}

}  // namespace alone

/// The program's checks, while Kokkos runs.
void run();

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  run();
}
