// SPDX-License-Identifier: Apache-2.0
// Portable kernel of panel and the steps after it on a GPU: solving for the pivot tile's cross.
// (Where one thread has a tile: host.hpp.)
#pragma once

#include "variants/gauss/kokkos/tiles.hpp"

namespace portcost::gauss {

/// Solves for the cross of tile (k, k). A team has a part of a tile, an item a chunk of a line; a
/// line is a column of a tile beside the pivot tile or a row of a tile below it. Chunk after chunk,
/// the items that have the chunk solve for it, then the items of later chunks update them by it.
template <int tile, class T>
struct SolveCross {
  using Shape = SolveShape<tile>;
  using On = Teams<Shape::warps, 1, Lanes::one>;
  static constexpr int parts = Shape::parts;
  static constexpr int lines = Shape::lines, chunk = Shape::chunk, chunks = Shape::chunks;
  static constexpr int items = Shape::items, wide = Shape::wide;
  static constexpr int most = On::most_own(items);
  System<T> s;
  Region region;
  int k;

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

  // The packs that an item fetches of the pivot tile's blocks by which a chunk updates itself and
  // the later chunks.
  struct Blocks {
    alignas(pack_bytes<T>) T at[Shape::loads][wide];
  };

  // beside: columns of a tile beside the pivot tile, else rows of a tile below it.
  template <bool beside>
  KOKKOS_FUNCTION void solve(const typename On::Member& team, T* scratch, Tile at, int part) const {
    T* const known = scratch + Shape::known;
    T* const inverse = scratch + Shape::inverse;
    alignas(pack_bytes<T>) T line[most][chunk];
    Blocks blocks[most];
    On::template for_own<items>(team, [&](int item, int mine) {
      fetch<beside>(blocks[mine], item, 0);
      const T* const from = place<beside>(at, part, item);
#pragma unroll
      for (int e = 0; e < chunk; e += beside ? 1 : wide) {
        if constexpr (beside) {
          line[mine][e] = from[s.offset(e)];
        } else {
          copy_pack<wide>(line[mine] + e, from + e);
        }
      }
      if constexpr (!beside) {
        if (item < tile) inverse[item] = reciprocal(s.row(k * tile + item)[k * tile + item]);
      }
      show<beside>(blocks[mine], scratch, item, 0);
    });
    team.team_barrier();
#pragma unroll 1
    for (int c = 0; c < chunks; ++c) {
      On::template for_own<items>(team, [&](int item, int mine) {
        if (item / lines == c) {
          close<beside>(line[mine], scratch, inverse + c * chunk);
#pragma unroll
          for (int e = 0; e < chunk; ++e) {
            known[e * lines + item % lines] = line[mine][e];
          }
        }
        if (c + 1 < chunks) fetch<beside>(blocks[mine], item, c + 1);
      });
      if (c + 1 == chunks) break;
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int mine) {
        const int own = item / lines;
        if (own <= c) return;
        take(line[mine], known + item % lines, scratch + (own - c) * Shape::block);
      });
      team.team_barrier();
      On::template for_own<items>(
          team, [&](int item, int mine) { show<beside>(blocks[mine], scratch, item, c + 1); });
      team.team_barrier();
    }
    On::template for_own<items>(team, [&](int item, int mine) {
      T* const to = place<beside>(at, part, item);
#pragma unroll
      for (int e = 0; e < chunk; e += beside ? 1 : wide) {
        if constexpr (beside) {
          to[s.offset(e)] = line[mine][e];
        } else {
          copy_pack<wide>(to + e, line[mine] + e);
        }
      }
    });
  }

  template <bool beside>
  KOKKOS_FUNCTION T* place(Tile at, int part, int item) const {
    const int first = k * tile, line = part * lines + item % lines;
    const int own = item / lines * chunk;
    return beside ? s.row(first + own) + at.col * tile + line
                  : s.row(at.row * tile + line) + first + own;
  }
  // Calls f(i, b, row, column) for all of an item's packs: pack i lies in block b, which is for
  // chunk c + b. Blocks for columns are transposed, so that neighbouring items store rows of a
  // block and have few bank conflicts.
  template <bool beside, class F>
  KOKKOS_FUNCTION static void each_pack(int item, int c, const F& f) {
    const int index = item % Shape::packs;
    const int row = beside ? index % chunk : index / (chunk / wide);
    const int column = (beside ? index / chunk : index % (chunk / wide)) * wide;
#pragma unroll
    for (int i = 0; i < Shape::loads; ++i) {
      const int b = i * Shape::at_once + item / Shape::packs;
      if (c + b < chunks) f(i, b, row, column);
    }
  }
  template <bool beside>
  KOKKOS_FUNCTION void fetch(Blocks& to, int item, int c) const {
    const T* const closed = s.row(k * tile) + k * tile;
    each_pack<beside>(item, c, [&](int i, int b, int row, int column) {
      copy_pack<wide>(to.at[i], closed + s.offset((beside ? c + b : c) * chunk + row) +
                                    (beside ? c : c + b) * chunk + column);
    });
  }
  // Block b in scratch is for chunk c + b.
  template <bool beside>
  KOKKOS_FUNCTION static void show(const Blocks& from, T* scratch, int item, int c) {
    each_pack<beside>(item, c, [&](int i, int b, int row, int column) {
      T* const block = scratch + b * Shape::block;
      if constexpr (beside) {
#pragma unroll
        for (int e = 0; e < wide; ++e) block[(column + e) * chunk + row] = from.at[i][e];
      } else {
        copy_pack<wide>(block + row * chunk + column, from.at[i]);
      }
    });
  }
  // Solves for a chunk. Element e is updated by element m with the factor block[m * chunk + e]. In
  // a row of L, element m is first multiplied by its pivot's reciprocal, inverse[m].
  template <bool beside>
  KOKKOS_FUNCTION static void close(T (&line)[chunk], const T* block, const T* inverse) {
#pragma unroll
    for (int m = 0; m < chunk; ++m) {
      if constexpr (!beside) line[m] = line[m] * inverse[m];
#pragma unroll
      for (int e = (m + 1) / wide * wide; e < chunk; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, block + m * chunk + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) {
          if (e + i > m) line[e + i] = eliminate(line[e + i], line[m], some[i]);
        }
      }
    }
  }
  // Updates a chunk by an earlier chunk, whose element m in this line is known[m * lines].
  KOKKOS_FUNCTION static void take(T (&line)[chunk], const T* known, const T* block) {
#pragma unroll 4
    for (int m = 0; m < chunk; ++m) {
      const T times = known[m * lines];
#pragma unroll
      for (int e = 0; e < chunk; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, block + m * chunk + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) line[e + i] = eliminate(line[e + i], times, some[i]);
      }
    }
  }
};

}  // namespace portcost::gauss
