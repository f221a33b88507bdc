// SPDX-License-Identifier: Apache-2.0
// The test source that includes Kokkos: finds the first tile of a grid that is misplaced; kernels
// that only a GPU's variants run, on the host.
#include <algorithm>
#include <random>

#include "tests/compiled_apart.hpp"
#include "variants/shared/kokkos_team.hpp"
#include "variants/transfer_bandwidth/kokkos/packs.hpp"
#include "variants/transfer_batching/kokkos/teams.hpp"

namespace portcost::test {

namespace {

bool placed(const TileGrid& tiles, int columns, std::int64_t rank) {
  const int r = static_cast<int>(rank), row = tiles.row(r);
  return row == r / columns && tiles.column(r, row) == r % columns;
}

}  // namespace

std::int64_t first_misplaced_tile(int columns, int rows) {
  const TileGrid tiles(columns, rows);
  const std::int64_t count = tiles.count(), end = std::int64_t{columns} * rows;
  if (count != end) return end;
  for (std::int64_t rank = 0; rank < std::min<std::int64_t>(count, 5000); ++rank) {
    if (!placed(tiles, columns, rank)) return rank;
  }
  // A wrong multiplier shows next to a row's ends, and most in the last rows.
  std::mt19937_64 random(static_cast<std::uint64_t>(columns));
  for (int i = 0; i < 2000; ++i) {
    const auto drawn =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(i < 1000 ? rows : 1));
    const std::int64_t row = i < 1000 ? drawn : std::max(0, rows - 1 - (i - 1000));
    for (const std::int64_t rank : {row * columns - 1, row * columns, (row + 1) * columns - 1}) {
      if (rank >= 0 && rank < count && !placed(tiles, columns, rank)) return rank;
    }
  }
  return -1;
}

bool streams_keep_their_spaces() {
  const Stream first(kokkos_place()), second(kokkos_place());
  const KokkosSpace* const of_first = &kokkos_space(first);
  const KokkosSpace* const of_second = &kokkos_space(second);
  return of_first != of_second && &kokkos_space(first) == of_first &&
         &kokkos_space(second) == of_second;
}

#if !PORTCOST_HAS_CUDA
void copy_packs_by_teams(Way way, const transfer_bandwidth::KernelEnds& ends, const Stream& host) {
  if (way == Way::tuned) {
    transfer_bandwidth::copy_packs(ends, host);
  } else {
    transfer_bandwidth::copy_by_the_book(ends, host);
  }
}

template <class Moved>
void move_rows_by_teams(Way way, const Moved& moved, const Stream& host) {
  if (way == Way::tuned) {
    transfer_batching::move_by_teams(moved, host);
  } else {
    transfer_batching::move_by_the_book(moved, host);
  }
}

template void move_rows_by_teams(Way, const transfer_batching::Rows<float>&, const Stream&);
template void move_rows_by_teams(Way, const transfer_batching::Rows<double>&, const Stream&);
template void move_rows_by_teams(Way, const transfer_batching::Arrays<float>&, const Stream&);
template void move_rows_by_teams(Way, const transfer_batching::Arrays<double>&, const Stream&);
#endif

}  // namespace portcost::test
