// SPDX-License-Identifier: Apache-2.0
// Portable kernel of panel and later steps on a GPU: factorising the pivot tile (hosts: host.hpp).
#pragma once

#include "variants/gauss/kokkos/tiles.hpp"

namespace portcost::gauss {

/// Factorises tile (k, k), as bodies.hpp describes; records name the kernel CloseTile. `takes`:
/// first the team updates the tile by the pivots in `before`, if there are any.
template <class Shape, class T, bool takes = false>
struct CloseTile : FactorisingTile<Shape, T> {
  using On = Teams<Shape::warps, 1, Lanes::one>;
  using Body = FactorisingTile<Shape, T>;
  using At = typename Body::At;
  static constexpr int tile = Shape::tile, items = Shape::threads, most = On::most_own(items);
  static constexpr int elements = takes && Shape::scratch > At::size ? Shape::scratch : At::size;
  using Body::before;
  using Body::k;
  using Body::s;

  static constexpr int scratch() { return scratch_bytes<T>(elements + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const scratch = aligned_scratch<On, T>(team, elements);
    alignas(pack_bytes<T>) T own[most][Shape::rows][Shape::cols];
    if (takes && before.end > before.first) {
      Product<Shape, T>::load(team, s, {k, k}, before, scratch, own);
    } else {
      On::template for_own<items>(team, [&](int item, int mine) {
        load_tile<Shape>(own[mine], s, {k, k}, item);
      });
    }
#pragma unroll 1
    for (int pivot = 0; pivot < tile; pivot += At::width) {
      T* const turn = scratch + At::of(pivot);
      On::template for_own<items>(
          team, [&](int item, int mine) { Body::publish(own[mine], item, pivot, turn); });
      team.team_barrier();
      On::template for_own<items>(team,
                                  [&](int item, int) { this->solve_lines(item, pivot, turn); });
      team.team_barrier();
      if (const int bad = static_cast<int>(turn[At::bad]); bad < At::width) {
        if (team.team_rank() == 0) *s.bad_pivot = k * tile + pivot + bad;
        return;
      }
      On::template for_own<items>(
          team, [&](int item, int mine) { Body::take_products(own[mine], item, pivot, turn); });
    }
  }
};

}  // namespace portcost::gauss
