// SPDX-License-Identifier: Apache-2.0
// Portable kernel of panel and later steps on a GPU: solving for the cross (hosts: host.hpp).
#pragma once

#include "variants/gauss/kokkos/tiles.hpp"

namespace portcost::gauss {

/// Solves for the cross of tile (k, k), as bodies.hpp describes.
template <int tile, class T>
struct SolveCross : SolvingCross<tile, T> {
  using Solving = SolvingCross<tile, T>;
  using Shape = SolveShape<tile>;
  using On = Teams<Shape::warps, 1, Lanes::one>;
  using Solving::chunk;
  using Solving::chunks;
  using Solving::items;
  using Solving::k;
  using Solving::lines;
  using Solving::parts;
  using Solving::region;
  using Solving::s;
  static constexpr int most = On::most_own(items);

  static constexpr int scratch() { return scratch_bytes<T>(Shape::scratch + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const scratch = aligned_scratch<On, T>(team, Shape::scratch);
    const Tile at = region.at(team.league_rank() / parts);
    const int part = team.league_rank() % parts;
    if (at.row == k) {
      solve<true>(team, scratch, at, part);
    } else {
      solve<false>(team, scratch, at, part);
    }
  }

  // beside: columns of a tile beside the pivot tile, else rows of a tile below it.
  template <bool beside>
  KOKKOS_FUNCTION void solve(const typename On::Member& team, T* scratch, Tile at, int part) const {
    T* const known = scratch + Shape::known;
    T* const inverse = scratch + Shape::inverse;
    alignas(pack_bytes<T>) T line[most][chunk];
    typename Solving::Blocks blocks[most];
    On::template for_own<items>(team, [&](int item, int mine) {
      this->template fetch<beside>(blocks[mine], item, 0);
      this->template load<beside>(
          line[mine], this->template place<beside>(at, part * lines + item % lines, item));
      if constexpr (!beside) this->invert(inverse, item);
      Solving::template publish<beside>(blocks[mine], scratch, item, 0);
    });
    team.team_barrier();
#pragma unroll 1
    for (int c = 0; c < chunks; ++c) {
      On::template for_own<items>(team, [&](int item, int mine) {
        if (item / lines == c) {
          Solving::template solve_chunk<beside>(line[mine], scratch, inverse + c * chunk);
#pragma unroll
          for (int e = 0; e < chunk; ++e) {
            known[e * lines + item % lines] = line[mine][e];
          }
        }
        if (c + 1 < chunks) this->template fetch<beside>(blocks[mine], item, c + 1);
      });
      if (c + 1 == chunks) break;
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int mine) {
        const int own = item / lines;
        if (own <= c) return;
        Solving::take(line[mine], known + item % lines, scratch + (own - c) * Shape::block);
      });
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int mine) {
        Solving::template publish<beside>(blocks[mine], scratch, item, c + 1);
      });
      team.team_barrier();
    }
    On::template for_own<items>(team, [&](int item, int mine) {
      this->template store<beside>(
          line[mine], this->template place<beside>(at, part * lines + item % lines, item));
    });
  }
};

}  // namespace portcost::gauss
