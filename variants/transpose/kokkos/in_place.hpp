// SPDX-License-Identifier: Apache-2.0
// Tuned portable kernel of in_place, for one thread that has a pair of blocks, as on a host.
#pragma once

#include <algorithm>

#include "variants/shared/kokkos_tiles.hpp"
#include "variants/transpose/kokkos/grids.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

/// Exchanges two blocks on both sides of the diagonal: a shape for hosts.
template <class T>
struct InPlaceOfHosts {
  using On = Teams<1>;
  static constexpr int side = group, wide = Square<T>::wide, most = block<T>;
  Places<T> s;
  TileGrids pairs;

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    const auto in_grid = pairs.at(team.league_rank());
    const Tile at = PairGrid{ceil_div(s.nx, group)}.at(in_grid.column, in_grid.line);
    // One thread of the team does the work.
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) {
      exchange_groups(in_grid.matrix, at.row * group, at.col * group);
    });
  }

  // All blocks of a group on or above the diagonal, with the blocks on the other side.
  void exchange_groups(int m, int i0, int j0) const {
    for (int i = i0; i < compat::min(i0 + group, s.nx); i += most) {
      for (int j = compat::max(i, j0); j < compat::min(j0 + group, s.nx); j += most) {
        if (s.nx - j >= most) {  // hence i, too, which is no greater
          exchange_blocks<true>(m, i, j);
        } else {
          exchange_blocks<false>(m, i, j);
        }
      }
    }
  }

  // A block on the diagonal has no partner.
  template <bool whole>
  void exchange_blocks(int m, int i0, int j0) const {
    alignas(cache_line) T own[block_elements<T>], other[block_elements<T>];
    take_block<whole>(own, m, i0, j0);
    if (i0 != j0) {
      take_block<whole>(other, m, j0, i0);
      put_block<whole>(other, m, i0, j0);
    }
    put_block<whole>(own, m, j0, i0);
  }

  // Transposes the block at row i0 and column j0 to `own`. `whole`: the compiler knows the block's
  // size. A separate function, on both sides: where g++ inlines it, twice, it is slower.
  template <bool whole>
  [[gnu::noinline]] void take_block(T* own, int m, int i0, int j0) const {
    if constexpr (whole) {
      for (int i = 0; i < most; i += wide) {
        const T* const from = s.row_of_a(m, i0 + i) + j0;
        for (int j = 0; j < most; j += wide) {
          Square<T>::transpose(own + j * most + i, most, from + j, s.nx);
        }
      }
    } else {
      const int rows = compat::min(int{most}, s.nx - i0);
      const int columns = compat::min(int{most}, s.nx - j0);
      for (int i = 0; i < rows; ++i) {
        const T* const from = s.row_of_a(m, i0 + i) + j0;
        for (int j = 0; j < columns; ++j) own[j * most + i] = from[j];
      }
    }
  }

  template <bool whole>
  void put_block(const T* own, int m, int i0, int j0) const {
    const int rows = whole ? most : compat::min(int{most}, s.nx - i0);
    const int columns = whole ? most : compat::min(int{most}, s.nx - j0);
    for (int i = 0; i < rows; ++i) {
      std::copy(own + i * most, own + i * most + columns, s.row_of_a(m, i0 + i) + j0);
    }
  }
};

}  // namespace portcost::transpose
