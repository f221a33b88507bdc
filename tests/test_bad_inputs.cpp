// SPDX-License-Identifier: Apache-2.0
// Refused pivots in any part of a large elimination, and negative cycles in any tile, are named; no
// launch waits for ever for what is then left out. This file is built twice: with a host's shapes,
// and with those of a device (PORTCOST_DEVICE_SHAPES).
#include "tests/bad_inputs.hpp"

namespace portcost::test::test_bad_inputs {

// Every variant that is written here names this column, or -1 for none.
template <class T>
void name_column(Place place, const std::vector<T>& rows, std::int64_t n, std::int64_t column) {
  test::name_column<T>(place, rows, n, 64, column,
                       [](const Variant& variant) { return variant.model != Model::library; });
}

// Pivots of 0, tiny, overflowed, no number, and without a reciprocal.
template <class T>
void name_refused(Place place, std::int64_t n, std::int64_t column) {
  using Limits = std::numeric_limits<T>;
  CAPTURE(column);
  name_column<T>(place, with_pivot<T>(n, column, 0), n, column);
  // All sums of these are numbers of the type, so that the pivot is what it is made.
  constexpr T great = sizeof(T) == 4 ? T(0x1p20) : T(0x1p40);
  constexpr T tiny = great * Limits::epsilon() / 2;
  name_column<T>(place, with_pivot<T>(n, column, tiny, great), n, column);
  name_column<T>(place, with_overflow<T>(n, column, column), n, column);
  // The row before it is infinite there, and its multiplier is 0.
  name_column<T>(place, with_overflow<T>(n, column - 1, column), n, column);
  name_column<T>(place, diagonal<T>(n, 2 * Limits::min(), column, Limits::min()), n, column);
}
// Pivots nearly so small, which are taken.
template <class T>
void name_none(Place place, std::int64_t n, std::int64_t column) {
  using Limits = std::numeric_limits<T>;
  CAPTURE(column);
  constexpr T great = sizeof(T) == 4 ? T(0x1p20) : T(0x1p40);
  name_column<T>(place, with_pivot<T>(n, column, 2 * great * Limits::epsilon(), great), n, -1);
  name_column<T>(place, diagonal<T>(n, 4 * Limits::min(), column, 2 * Limits::min()), n, -1);
}

// In a device's shapes: two rounds of two tiles, then narrow tiles, the last one not full.
TEST_CASE("gauss: host variants name the column of a refused pivot in any round, in larger teams",
          "[gauss][kokkos][teams][slow]") {
  constexpr std::int64_t n = 600;
  name_refused<double>(Place::host, n, 130);
  name_none<float>(Place::host, n, 333);
  const HostTeams teams(3);  // which share cores, and wait long for each other
  name_column<float>(Place::host, with_pivot<float>(n, 597, 0), n, 597);
}

#if PORTCOST_HAS_CUDA
// The columns lie in the first round of two tiles; in the middle, where narrow_tiles has narrow
// tiles, delayed_updates two a round and whole_tile one; and in the last tile.
template <class T>
void name_refused_in_any_round() {
  constexpr std::int64_t n = 3500;
  using namespace gauss;
  static_assert(delayed_tiles(n) * panel_tile > 1400 && wide_tiles(n) * panel_tile < 1400);
  static_assert(delayed_tiles(n, narrow_rounds) > 0);
  for (const std::int64_t column : {std::int64_t{130}, std::int64_t{1400}, n - 2}) {
    name_refused<T>(Place::device, n, column);
  }
  name_none<T>(Place::device, n, 1400);
}

TEST_CASE("gauss: device variants name a bad pivot in any round", "[gauss][kokkos][gpu]") {
  need_device();
  name_refused_in_any_round<float>();
  name_refused_in_any_round<double>();
}
#endif

// A cycle of three vertices behind a long path grows shorter each time; its last vertex is named.
template <class T>
void find_negative_cycle(Place place) {
  for (const std::int64_t n : {3, 40, 150}) {
    std::vector<T> matrix = ring_graph<T>(n, T(1000));
    const auto at = [&](std::int64_t i, std::int64_t j) -> T& { return matrix[i * n + j]; };
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
  for (std::int64_t i = 0; i < n; ++i) matrix[i * n + i] = 0;
  name_cycle<int>(place, matrix, n, 1);
}

// Of the four threads, two teams of two, or one of three, work at a time.
TEST_CASE("floyd_warshall: host variants find a negative cycle, and name a vertex on it",
          "[floyd_warshall][kokkos][teams][slow]") {
  const int threads = GENERATE(1, 2, 3);
  const HostTeams teams(threads);
  find_and_stop(Place::host);
}

#if PORTCOST_HAS_CUDA
TEST_CASE("floyd_warshall: device variants name a vertex", "[floyd_warshall][kokkos][gpu]") {
  need_device();
  find_and_stop(Place::device);
}
#endif

}  // namespace portcost::test::test_bad_inputs
