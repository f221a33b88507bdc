// SPDX-License-Identifier: Apache-2.0
// Portable kernels of panel and look_ahead on a GPU: closing a tile, and solving for the tiles of
// its cross. (Where one thread has the tile: host.hpp.)
#pragma once

#include "variants/gauss/kokkos/tiles.hpp"

namespace portcost::gauss {

/// Closes tile (k, k). Every item keeps its elements in registers. For each block of pivots in turn
/// those who have its rows or columns show them, and after a barrier every item eliminates the
/// square of the block for itself, makes of what was shown the multipliers and the rows of U that
/// it needs, and takes their products. What is shown lies in one of two places in turns, because
/// others may still read the one before.
template <class Shape, class T, Way way>
struct CloseTile {
  using On = Teams<way, Shape::warps, 1, Lanes::one>;
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols;
  static constexpr int items = Shape::threads, most = On::most_own(items);
  static constexpr int block = close_block;
  static_assert(Shape::group_y == block && Shape::group_x == block);
  System<T> s;
  int k;

  static constexpr int scratch() { return scratch_bytes<T>(close_scratch + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const shown = aligned_scratch<On, T>(team, close_scratch);
    alignas(pack_bytes<T>) T own[most][rows][cols];
    On::template for_own<items>(team, [&](int item, int mine) {
      load_tile<Shape>(own[mine], s, {k, k}, item);
    });
#pragma unroll 1
    for (int via = 0; via < tile; via += block) {
      // Rows of the block, then its columns, each of these as one row.
      T* const shown_rows = shown + (via / block & 1) * (close_scratch / 2);
      T* const shown_columns = shown_rows + block * tile;
      On::template for_own<items>(
          team, [&](int item, int mine) { show(own[mine], item, via, shown_rows, shown_columns); });
      team.team_barrier();
      Corner<T, block> corner;
#pragma unroll
      for (int p = 0; p < block; ++p) {
        copy_pack<block>(corner.at[p], shown_rows + p * tile + via);
      }
      const int bad = corner.close(s.tiny);
      if (bad < block) {
        if (team.team_rank() == 0) *s.bad_pivot = k * tile + via + bad;
        return;
      }
      On::template for_own<items>(team, [&](int item, int mine) {
        take(own[mine], item, via, corner, shown_rows, shown_columns);
      });
    }
    On::template for_own<items>(team, [&](int item, int mine) {
      store_tile<Shape>(own[mine], s, {k, k}, item);
    });
  }

  KOKKOS_FUNCTION static void show(const T (&own)[rows][cols], int item, int via, T* shown_rows,
                                   T* shown_columns) {
    const int x = Shape::x_of(item), y = Shape::y_of(item);
#pragma unroll
    for (int h = 0; h < rows; h += block) {
      if (Shape::row_of(y, h) != via) continue;
#pragma unroll
      for (int p = 0; p < block; ++p) {
#pragma unroll
        for (int g = 0; g < cols; g += block) {
          copy_pack<block>(shown_rows + p * tile + Shape::col_of(x, g), own[h + p] + g);
        }
      }
    }
#pragma unroll
    for (int g = 0; g < cols; g += block) {
      if (Shape::col_of(x, g) != via) continue;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        copy_pack<block>(shown_columns + Shape::row_of(y, r) * block, own[r] + g);
      }
    }
  }
  KOKKOS_FUNCTION static void take(T (&own)[rows][cols], int item, int via,
                                   const Corner<T, block>& corner, const T* shown_rows,
                                   const T* shown_columns) {
    const int x = Shape::x_of(item), y = Shape::y_of(item);
    alignas(pack_bytes<T>) T from[block][cols];
#pragma unroll
    for (int g = 0; g < cols; g += block) {
      if (Shape::col_of(x, g) <= via) continue;
#pragma unroll
      for (int p = 0; p < block; ++p) {
        copy_pack<block>(from[p] + g, shown_rows + p * tile + Shape::col_of(x, g));
      }
#pragma unroll
      for (int c = g; c < g + block; ++c) corner.to_u(from, c);
    }
#pragma unroll
    for (int h = 0; h < rows; h += block) {
      const int at = Shape::row_of(y, h);
      if (at < via) continue;
      if (at == via) {
#pragma unroll
        for (int g = 0; g < cols; g += block) {
          const int column = Shape::col_of(x, g);
#pragma unroll
          for (int p = 0; p < block; ++p) {
            if (column == via) copy_pack<block>(own[h + p] + g, corner.at[p]);
            if (column > via) copy_pack<block>(own[h + p] + g, from[p] + g);
          }
        }
        continue;
      }
      alignas(pack_bytes<T>) T times[block][block];
#pragma unroll
      for (int r = 0; r < block; ++r) {
        copy_pack<block>(times[r], shown_columns + (at + r) * block);
        corner.to_multipliers(times[r]);
      }
#pragma unroll
      for (int g = 0; g < cols; g += block) {
        const int column = Shape::col_of(x, g);
        if (column < via) continue;
        if (column == via) {
#pragma unroll
          for (int r = 0; r < block; ++r) copy_pack<block>(own[h + r] + g, times[r]);
          continue;
        }
#pragma unroll
        for (int p = 0; p < block; ++p) {
#pragma unroll
          for (int r = 0; r < block; ++r) {
#pragma unroll
            for (int c = g; c < g + block; ++c) {
              own[h + r][c] = eliminate(own[h + r][c], times[r][p], from[p][c]);
            }
          }
        }
      }
    }
  }
};

/// The cross of tile (k, k), a part of a tile a team and a chunk of a line an item: a line is a
/// column of a tile beside it, a row of one below it. Chunk by chunk, each by the items that have
/// it; then those after it take their products of it.
template <class T, Way way>
struct SolveCross {
  using On = Teams<way, solve_warps, 1, Lanes::one>;
  static constexpr int tile = panel_tile, chunk = solve_chunk, items = solve_items, wide = 4;
  static constexpr int most = On::most_own(items);
  System<T> s;
  Region region;
  int k;

  static constexpr int scratch() { return scratch_bytes<T>(solve_scratch + aligned_extra<T>); }

  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    T* const scratch = aligned_scratch<On, T>(team, solve_scratch);
    const Tile at = region.at(team.league_rank() / solve_parts);
    const int part = team.league_rank() % solve_parts;
    if (at.row == k) {
      solve<true>(team, scratch, at, part);
    } else {
      solve<false>(team, scratch, at, part);
    }
  }

  // What an item brings of the closed tile's blocks that a chunk and those after it take of it.
  struct Blocks {
    static constexpr int packs = solve_block / wide / items;
    alignas(pack_bytes<T>) T at[solve_chunks][packs][wide];
  };

  // beside: columns of a tile beside the closed one, else rows of one below it.
  template <bool beside>
  KOKKOS_FUNCTION void solve(const typename On::Member& team, T* scratch, Tile at, int part) const {
    T* const known = scratch + solve_chunks * solve_block;
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
      show(blocks[mine], scratch, item, 0);
    });
    team.team_barrier();
#pragma unroll 1
    for (int c = 0; c < solve_chunks; ++c) {
      On::template for_own<items>(team, [&](int item, int mine) {
        if (item / solve_lines == c) {
          close<beside>(line[mine], scratch);
#pragma unroll
          for (int e = 0; e < chunk; ++e) {
            known[e * solve_lines + item % solve_lines] = line[mine][e];
          }
        }
        if (c + 1 < solve_chunks) fetch<beside>(blocks[mine], item, c + 1);
      });
      if (c + 1 == solve_chunks) break;
      team.team_barrier();
      On::template for_own<items>(team, [&](int item, int mine) {
        const int own = item / solve_lines;
        if (own <= c) return;
        take<beside>(line[mine], known + item % solve_lines, scratch + (own - c) * solve_block);
      });
      team.team_barrier();
      On::template for_own<items>(
          team, [&](int item, int mine) { show(blocks[mine], scratch, item, c + 1); });
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
    const int first = k * tile, line = part * solve_lines + item % solve_lines;
    const int own = item / solve_lines * chunk;
    return beside ? s.row(first + own) + at.col * tile + line
                  : s.row(at.row * tile + line) + first + own;
  }
  KOKKOS_FUNCTION static int row_of(int item, int p) { return (item + p * items) / (chunk / wide); }
  KOKKOS_FUNCTION static int column_of(int item) { return item % (chunk / wide) * wide; }
  template <bool beside>
  KOKKOS_FUNCTION void fetch(Blocks& to, int item, int c) const {
    const T* const closed = s.row(k * tile) + k * tile;
#pragma unroll
    for (int b = 0; b < solve_chunks; ++b) {
      if (c + b >= solve_chunks) continue;
#pragma unroll
      for (int p = 0; p < Blocks::packs; ++p) {
        copy_pack<wide>(to.at[b][p], closed +
                                         s.offset((beside ? c + b : c) * chunk + row_of(item, p)) +
                                         (beside ? c : c + b) * chunk + column_of(item));
      }
    }
  }
  // Block b of scratch is what chunk c + b takes.
  KOKKOS_FUNCTION static void show(const Blocks& from, T* scratch, int item, int c) {
#pragma unroll
    for (int b = 0; b < solve_chunks; ++b) {
      if (c + b >= solve_chunks) continue;
#pragma unroll
      for (int p = 0; p < Blocks::packs; ++p) {
        copy_pack<wide>(scratch + b * solve_block + row_of(item, p) * chunk + column_of(item),
                        from.at[b][p]);
      }
    }
  }
  // The elements of a chunk by each other; block: the closed tile's on its diagonal.
  template <bool beside>
  KOKKOS_FUNCTION static void close(T (&line)[chunk], const T* block) {
#pragma unroll
    for (int m = 0; m < chunk; ++m) {
      if constexpr (!beside) line[m] = line[m] * reciprocal(block[m * chunk + m]);
#pragma unroll
      for (int e = m + 1; e < chunk; ++e) {
        line[e] = eliminate(line[e], line[m], block[beside ? e * chunk + m : m * chunk + e]);
      }
    }
  }
  // Less those of a chunk before it, of which element m of this line is known[m * solve_lines].
  template <bool beside>
  KOKKOS_FUNCTION static void take(T (&line)[chunk], const T* known, const T* block) {
#pragma unroll 2
    for (int m = 0; m < chunk; m += wide) {
      T times[wide];
#pragma unroll
      for (int w = 0; w < wide; ++w) times[w] = known[(m + w) * solve_lines];
#pragma unroll
      for (int e = 0; e < chunk; e += beside ? 1 : wide) {
        alignas(pack_bytes<T>) T some[wide];
        if constexpr (beside) {
          copy_pack<wide>(some, block + e * chunk + m);
#pragma unroll
          for (int w = 0; w < wide; ++w) line[e] = eliminate(line[e], times[w], some[w]);
        } else {
#pragma unroll
          for (int w = 0; w < wide; ++w) {
            copy_pack<wide>(some, block + (m + w) * chunk + e);
#pragma unroll
            for (int i = 0; i < wide; ++i) {
              line[e + i] = eliminate(line[e + i], times[w], some[i]);
            }
          }
        }
      }
    }
  }
};

}  // namespace portcost::gauss
