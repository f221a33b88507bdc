// SPDX-License-Identifier: Apache-2.0
// gauss: a pivot that is refused in any part of a large elimination, where tiles of several kinds
// are factorised and launches overlap: its column is named, and no launch waits for ever. This file
// is built twice: with a host's shapes, and with those of a device (PORTCOST_DEVICE_SHAPES).
#include "tests/gauss_equations.hpp"
#include "tests/matrix_checks.hpp"
#include "variants/gauss/problem.hpp"

namespace portcost::test::test_gauss_pivots {

using namespace gauss;

const Algorithm& row() { return algorithm_called("gauss"); }

// Every variant that is written here names this column, or -1 for none.
template <class T>
void name_column(Place place, const std::vector<T>& rows, std::int64_t n, std::int64_t wanted) {
  const auto instance = instance_of<T>(rows, n, 64, shared_stream(place));
  const Problem problem =
      problem_of(row(), n, "matrix=random", sizeof(T) == 4 ? ElementType::f32 : ElementType::f64);
  for (const Variant& variant : row().variants) {
    if (variant.place != place || variant.model == Model::library ||
        !variant.unfit(problem).empty()) {
      continue;
    }
    CAPTURE(variant_name(row(), variant), n, name(problem.type));
    const Answer answer = run_afresh(*instance, *variant.make(problem, *instance));
    CHECK(elements<int>(answer.at("bad_pivot")) == std::vector<int>{static_cast<int>(wanted)});
  }
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
  name_refused<float>(Place::host, n, 130);
  name_refused<float>(Place::host, n, 597);
  name_refused<double>(Place::host, n, 333);
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

}  // namespace portcost::test::test_gauss_pivots
