// SPDX-License-Identifier: Apache-2.0
// What ThreadSanitizer must report, and what not, before its silence means anything.
#include <Kokkos_Core.hpp>
#include <array>
#include <atomic>
#include <cstdio>
#include <string_view>
#include <thread>

namespace {

using Pair = std::array<int, 2>;
using Team = Kokkos::TeamPolicy<Kokkos::OpenMP>::member_type;

// Each of two threads writes its cell and reads the other's.
template <bool wait>
int openmp_neighbours() {
  Pair cells{}, seen{};
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int id = 0; id < 2; ++id) cells[id] = id + 1;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static, 1) nowait
    for (int id = 0; id < 2; ++id) cells[id] += 1;
    if constexpr (wait) {
#pragma omp barrier
    }
#pragma omp for schedule(static, 1)
    for (int id = 0; id < 2; ++id) {
      seen[id] = cells[1 - id];
    }
  }
  return seen[0] + seen[1];
}

template <bool wait>
int team_neighbours() {
  const Kokkos::ScopeGuard kokkos;
  Pair cells{}, seen{};
  int* const cell = cells.data();
  int* const other = seen.data();
  Kokkos::parallel_for(Kokkos::TeamPolicy<Kokkos::OpenMP>(1, 2), [=](const Team& team) {
    const int id = team.team_rank();
    cell[id] = id + 1;
    if constexpr (wait) team.team_barrier();
    other[id] = cell[1 - id];
  });
  return seen[0] + seen[1];
}

// A message, and a flag that says it is there. Only fences order the two.
template <bool fences>
int message() {
  int data = 0, seen = 0;
  std::atomic<int> flag = 0;
  std::thread writer([&] {
    data = 1;
    if constexpr (fences) std::atomic_thread_fence(std::memory_order_release);
    flag.store(1, std::memory_order_relaxed);
  });
  std::thread reader([&] {
    while (flag.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    if constexpr (fences) std::atomic_thread_fence(std::memory_order_acquire);
    seen = data;
  });
  writer.join();
  reader.join();
  return seen;
}

struct Case {
  std::string_view name;
  int (*run)();
};

constexpr std::array cases{
    Case{"openmp_barrier", openmp_neighbours<true>},
    Case{"openmp_no_barrier", openmp_neighbours<false>},
    Case{"team_barrier", team_neighbours<true>},
    Case{"team_no_barrier", team_neighbours<false>},
    Case{"fences", message<true>},
    Case{"no_fences", message<false>},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& one : cases) {
    if (argc == 2 && one.name == argv[1]) {
      std::printf("%d\n", one.run());
      return 0;
    }
  }
  std::fprintf(stderr, "tsan_races: name one case\n");
  return 2;
}
