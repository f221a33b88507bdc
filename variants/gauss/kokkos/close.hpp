// SPDX-License-Identifier: Apache-2.0
// Portable kernel of panel and the steps after it on a GPU: factorising the pivot tile. (Where one
// thread has the tile: host.hpp.)
#pragma once

#include "variants/gauss/kokkos/tiles.hpp"

namespace portcost::gauss {

/// Factorises tile (k, k), as bodies.hpp describes. `takes`: first the team updates the tile by the
/// pivots in `before`, if there are any.
template <class Shape, class T, bool takes = false>
struct CloseTile : ClosingTile<Shape, T> {
  using On = Teams<Shape::warps, 1, Lanes::one>;
  using Closing = ClosingTile<Shape, T>;
  using At = typename Closing::At;
  static constexpr int tile = Shape::tile, items = Shape::threads, most = On::most_own(items);
  static constexpr int elements = takes && Shape::scratch > At::size ? Shape::scratch : At::size;
  using Closing::before;
  using Closing::k;
  using Closing::s;

  static constexpr int scratch() { return scratch_bytes<T>(elements + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const shown = aligned_scratch<On, T>(team, elements);
    alignas(pack_bytes<T>) T own[most][Shape::rows][Shape::cols];
    if (takes && before.end > before.first) {
      Product<Shape, T>::load(team, s, {k, k}, before, shown, own);
    } else {
      On::template for_own<items>(team, [&](int item, int mine) {
        load_tile<Shape>(own[mine], s, {k, k}, item);
      });
    }
#pragma unroll 1
    for (int via = 0; via < tile; via += At::width) {
      T* const turn = shown + At::of(via);
      On::template for_own<items>(
          team, [&](int item, int mine) { Closing::show(own[mine], item, via, turn); });
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int) { this->close_lines(item, via, turn); });
      team.team_barrier();
      if (const int bad = static_cast<int>(turn[At::bad]); bad < At::width) {
        if (team.team_rank() == 0) *s.bad_pivot = k * tile + via + bad;
        return;
      }
      On::template for_own<items>(
          team, [&](int item, int mine) { Closing::take_products(own[mine], item, via, turn); });
    }
  }
};

}  // namespace portcost::gauss
