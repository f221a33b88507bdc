// SPDX-License-Identifier: Apache-2.0
// floyd_warshall: every variant names a vertex of a negative cycle in any tile, none waits for ever
// for what is then left out, and no length overflows. This file is built twice: with a host's
// shapes, and with those of a device (PORTCOST_DEVICE_SHAPES).
#include "tests/floyd_warshall_answers.hpp"

namespace portcost::test::test_floyd_warshall_cycles {

using namespace floyd_warshall;

// A cycle of three vertices behind a long path grows shorter each time; its last vertex is named.
template <class T>
void find_negative_cycle(Place place) {
  for (const std::int64_t n : {3, 40, 150}) {
    std::vector<T> matrix = ring_graph<T>(n, T(1000));
    const auto at = [&](std::int64_t i, std::int64_t j) -> T& {
      return matrix[static_cast<std::size_t>(i * n + j)];
    };
    const std::int64_t first = n / 2, last = first + 1;
    at(last, first) = T(-1001);
    at(first, last) = T(1000);
    name_cycle<T>(place, matrix, n, last);
    at(last, first) = -1000;  // a cycle of length 0 is not negative
    name_cycle<T>(place, matrix, n, -1);
    matrix = ring_graph<T>(n, T(5));
    at(n - 1, n - 1) = -1;  // a loop
    name_cycle<T>(place, matrix, n, n - 1);
  }
}

void find_and_stop(Place place) {
  find_negative_cycle<float>(place);
  find_negative_cycle<int>(place);
  // Cycles everywhere, whose numbers would double with each vertex and pass every bound.
  constexpr std::int64_t n = 150;
  std::vector<int> matrix(n * n, -3'000'000);
  for (std::int64_t i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * n + i)] = 0;
  name_cycle<int>(place, matrix, n, 1);
}

// Of the four threads, two teams of two, or one of three, work at a time.
TEST_CASE("floyd_warshall: host variants find a negative cycle, and name a vertex on it",
          "[floyd_warshall][kokkos][teams][slow]") {
  for (const int threads : {1, 2, 3}) {
    const HostTeams teams(threads);
    find_and_stop(Place::host);
  }
}

#if PORTCOST_HAS_CUDA
TEST_CASE("floyd_warshall: device variants name a vertex", "[floyd_warshall][kokkos][gpu]") {
  need_device();
  find_and_stop(Place::device);
}
#endif

}  // namespace portcost::test::test_floyd_warshall_cycles
