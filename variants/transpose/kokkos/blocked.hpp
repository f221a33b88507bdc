// SPDX-License-Identifier: Apache-2.0
// Portable kernel of blocked, for one thread that has a block to itself, as on a host.
#pragma once

#include <cstdint>

#include "variants/kokkos_tiles.hpp"
#include "variants/transpose/kokkos/grids.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

/// Blocks by way of a core's own cache: a shape for hosts.
template <class T, Way way>
struct Blocked {
  using On = Teams<way, 1>;
  static constexpr int wide = Square<T>::wide;
  static constexpr int extra = aligned_extra<T, cache_line>;
  static constexpr int scratch() { return scratch_bytes<T>(block_elements + extra); }
  Matrices<T> s;
  TileGrids<way> tiles;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    const auto at = tiles.at(team.league_rank());
    T* const scratch = aligned_scratch<On, T, cache_line>(team, block_elements);
    // One thread's work, if the team has more of them.
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      transpose_block(scratch, at.matrix, at.column * block, at.line * block);
    });
  }

  void transpose_block(T* elements, int m, int i0, int j0) const {
    const int rows = compat::min(int{block}, s.ny - i0);
    const int columns = compat::min(int{block}, s.nx - j0);
    const int full_rows = rows / wide * wide, full_columns = columns / wide * wide;
    for (int i = 0; i < rows; ++i) {
      const T* const from = s.row_of_a(m, i0 + i) + j0;
      if (i < full_rows && i % wide == 0) {
        for (int j = 0; j < full_columns; j += wide) {
          Square<T>::transpose(elements + j * block + i, block, from + j, s.nx);
        }
      }
      for (int j = i < full_rows ? full_columns : 0; j < columns; ++j) {
        elements[j * block + i] = from[j];
      }
    }
    for (int j = 0; j < columns; ++j) {
      T* const to = s.row_of_b(m, j0 + j) + i0;
      for (int i = 0; i < rows; ++i) to[i] = elements[j * block + i];
    }
  }
};

}  // namespace portcost::transpose
