// SPDX-License-Identifier: Apache-2.0
// Tuned portable kernel of blocked, for one thread that has a block, as on a host; for whole
// matrices (Places) and for their blocks.
#pragma once

#include <algorithm>

#include "variants/shared/kokkos_tiles.hpp"
#include "variants/transpose/kokkos/grids.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

/// Groups of blocks, by way of a core's own cache: a shape for hosts.
template <template <class> class At, class T>
struct BlockedOf {
  using On = Teams<1>;
  static constexpr int wide = Square<T>::wide, most = block<T>;
  At<T> s;
  TileGrids groups;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    const auto at = groups.at(team.league_rank());
    // One thread of the team does the work.
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      transpose_group(at.matrix, at.column * group, at.line * group);
    });
  }

  void transpose_group(int m, int i0, int j0) const {
    for (int j = j0; j < j0 + compat::min(int{group}, s.nx - j0); j += most) {
      for (int i = i0; i < i0 + compat::min(int{group}, s.ny - i0); i += most) {
        if (s.ny - i >= most && s.nx - j >= most) {
          transpose_block<true>(m, i, j);
        } else {
          transpose_block<false>(m, i, j);
        }
      }
    }
  }

  // `whole`: the compiler knows the block's size.
  template <bool whole>
  void transpose_block(int m, int i0, int j0) const {
    const int rows = whole ? most : compat::min(int{most}, s.ny - i0);
    const int columns = whole ? most : compat::min(int{most}, s.nx - j0);
    alignas(cache_line) T own[block_elements<T>];
    for (int i = 0; i < rows; ++i) {
      const T* const from = s.row_of_a(m, i0 + i) + j0;
      if (whole && i % wide == 0) {
        for (int j = 0; j < most; j += wide) {
          Square<T>::transpose(own + j * most + i, most, from + j, s.pitch_a());
        }
      }
      for (int j = whole ? columns : 0; j < columns; ++j) own[j * most + i] = from[j];
    }
    for (int j = 0; j < columns; ++j) {
      const T* const from = own + j * most;
      std::copy(from, from + rows, s.row_of_b(m, j0 + j) + i0);
    }
  }
};
template <class T>
using Blocked = BlockedOf<Places, T>;

}  // namespace portcost::transpose
