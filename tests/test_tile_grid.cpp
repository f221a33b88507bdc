// SPDX-License-Identifier: Apache-2.0
// TileGrid of variants/shared/kokkos_team.hpp divides by a multiplication: against division.
#include "tests/support.hpp"
#include "tests/tile_grid_checks.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost::test::test_tile_grid {
namespace {

constexpr int most = std::numeric_limits<int>::max();

TEST_CASE("tile grid: rows and columns are exact", "[tile_grid]") {
  for (int columns = 1; columns <= 300; ++columns) {
    CAPTURE(columns);
    CHECK(first_misplaced_tile(columns, most / columns) == -1);
  }
  for (int power = 9; power <= 30; ++power) {
    for (const int change : {-1, 0, 1}) {
      const int columns = (1 << power) + change;
      CAPTURE(columns);
      CHECK(first_misplaced_tile(columns, most / columns) == -1);
    }
  }
  CHECK(first_misplaced_tile(most, 1) == -1);
  CHECK(first_misplaced_tile(1, most) == -1);
  CHECK(first_misplaced_tile(1, 1) == -1);
}

TEST_CASE("kokkos: streams used in turns keep an execution space each", "[kokkos_space][kokkos]") {
  if (kokkos_place() == Place::device) need_device();
  CHECK(streams_keep_their_spaces());
}

}  // namespace
}  // namespace portcost::test::test_tile_grid
