// SPDX-License-Identifier: Apache-2.0
// Portable kernels for tiles that one thread has to itself, as on a host: rows or register blocks
// one after another.
#pragma once

#include "variants/gauss/problem.hpp"
#include "variants/kokkos_tiles.hpp"

// nvcc compiles this and never runs it; it does not know the pragma.
#ifdef __CUDACC__
#pragma nv_diag_suppress 1675
#endif

namespace portcost::gauss {

/// `count` elements of a row less a multiple of the pivot's, by the lanes of a thread.
template <class T>
KOKKOS_INLINE_FUNCTION void eliminate_row(const auto& team, T* row, T times, const T* from,
                                          int count) {
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count),
                       [&](int j) { row[j] = eliminate(row[j], times, from[j]); });
}

/// block_r1: a tile that lies in scratch, row by row, by one thread of a team. `k`: the tile with
/// the pivots; tiles beside it have the pivots' rows, those below it their columns.
struct StagedByRows {
  template <class On, class T>
  KOKKOS_FUNCTION static void take(const typename On::Member& team, const System<T>& s, T* staged,
                                   Tile at, int k, Columns columns) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                         [&](int) { by_rows(team, s, staged, at, k, columns); });
  }

 private:
  template <class T>
  KOKKOS_FUNCTION static void by_rows(const auto& team, const System<T>& s, T* staged, Tile at,
                                      int k, Columns columns) {
    constexpr int tile = flat_tile;
    const int i0 = at.row * tile, j0 = at.col * tile;
    const bool beside = at.row == k, below = at.col == k;
    for (int r = 0; r < tile; ++r) {
      for (int c = 0; c < tile; ++c) staged[r * tile + c] = s.row(i0 + r)[j0 + c];
    }
    for (int via = columns.first; via < columns.end; ++via) {
      const T* const from = beside ? staged + (via - i0) * tile : s.row(via) + j0;
      const int column = below ? via - j0 : -1;
      if (beside && below && s.refuses(via, from[column])) {
        *s.bad_pivot = via;
        return;
      }
      for (int r = beside ? via - i0 + 1 : 0; r < tile; ++r) {
        T* const row = staged + r * tile;
        if (below) row[column] = multiplier(row[column], from[column]);
        const T times = below ? row[column] : s.row(i0 + r)[via];
        if (below) {
          eliminate_row(team, row + column + 1, times, from + column + 1, tile - 1 - column);
          continue;
        }
        for (int c = 0; c < tile; c += host_cols<T>) {
          Strip<T> some = Strip<T>::load(row + c);
          some.eliminate(times, Strip<T>::load(from + c));
          some.store(row + c);
        }
      }
    }
    for (int r = 0; r < tile; ++r) {
      for (int c = 0; c < tile; ++c) s.row(i0 + r)[j0 + c] = staged[r * tile + c];
    }
  }
};

/// panel: what one thread does, in strips of host_cols columns.
template <class T>
struct HostPanel {
  static constexpr int wide = host_cols<T>;
  System<T> s;

  /// Rows i .. i + rows - 1 of a strip less `depth` products. `right`: the rows of U of these
  /// columns alone, one after another.
  template <int rows>
  void block(int i, int j, int k, int depth, const T* right) const {
    Strip<T> of[rows];
    const T* left[rows];
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) {
      of[r] = Strip<T>::load(s.row(i + r) + j);
      left[r] = s.row(i + r) + k;
      Strip<T>::prefetch(s.row(i + rows + r) + j);
    }
    for (int m = 0; m < depth; ++m) {
      const Strip<T> from = Strip<T>::load(right + m * wide);
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) of[r].eliminate(left[r][m], from);
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) of[r].store(s.row(i + r) + j);
  }

  /// Rows [i, i_end) and columns [j, j_end) less the products over columns [k, k + depth). A
  /// strip's rows of U are copied together first, to `right`, because they lie far apart.
  void products(T* right, int i, int i_end, int j, int j_end, int k, int depth) const {
    for (; j < j_end; j += wide) {
      for (int m = 0; m < depth; ++m) Strip<T>::load(s.row(k + m) + j).store(right + m * wide);
      int row = i;
      for (; row + host_rows <= i_end; row += host_rows) block<host_rows>(row, j, k, depth, right);
      for (; row < i_end; row += host_rest) block<host_rest>(row, j, k, depth, right);
    }
  }

  /// Rows [i, i_end) of the strip that begins at p over its pivots. `triangle`: room for U there.
  void divide_strip(T* triangle, int i, int i_end, int p) const {
    T pivot[wide];
    for (int m = 0; m < wide; ++m) {
      const T* const from = s.row(p + m) + p;
      pivot[m] = from[m];
      for (int c = 0; c < wide; ++c) triangle[m * wide + c] = c > m ? from[c] : T(0);
    }
    for (; i < i_end; ++i) {
      Strip<T> row = Strip<T>::load(s.row(i) + p);
#pragma GCC unroll 16
      for (int m = 0; m < wide; ++m) {
        const T times = multiplier(row.at(m), pivot[m]);
        row.set(m, times);
        row.eliminate(times, Strip<T>::load(triangle + m * wide));
      }
      row.store(s.row(i) + p);
    }
  }

  /// Columns [j, j_end) of the rows of the strip that begins at p, over the pivots of these rows.
  void solve_strip(int p, int j, int j_end) const {
    for (; j < j_end; j += wide) {
      for (int r = 1; r < wide; ++r) {
        const T* const left = s.row(p + r) + p;
        Strip<T> row = Strip<T>::load(s.row(p + r) + j);
        for (int m = 0; m < r; ++m) row.eliminate(left[m], Strip<T>::load(s.row(p + m) + j));
        row.store(s.row(p + r) + j);
      }
    }
  }

  void close(const auto& team, T* right, Columns columns) const {
    for (int p = columns.first; p < columns.end; p += wide) {
      for (int k = p; k < p + wide; ++k) {
        const T* const from = s.row(k);
        if (s.refuses(k, from[k])) {
          *s.bad_pivot = k;
          return;
        }
        for (int i = k + 1; i < p + wide; ++i) {
          T* const row = s.row(i);
          row[k] = multiplier(row[k], from[k]);
          eliminate_row(team, row + k + 1, row[k], from + k + 1, p + wide - k - 1);
        }
      }
      divide_strip(right, p + wide, columns.end, p);
      solve_strip(p, p + wide, columns.end);
      products(right, p + wide, columns.end, p + wide, columns.end, p, wide);
    }
  }

  /// A tile beside the closed one, or below it.
  void cross(T* right, Tile at, int k, Columns columns) const {
    const int i = at.row * panel_tile, j = at.col * panel_tile;
    for (int p = columns.first; p < columns.end; p += wide) {
      if (at.row == k) {
        solve_strip(p, j, j + panel_tile);
        products(right, p + wide, columns.end, j, j + panel_tile, p, wide);
      } else {
        divide_strip(right, i, i + panel_tile, p);
        products(right, i, i + panel_tile, p + wide, columns.end, p, wide);
      }
    }
  }
};

/// panel's kernels where one thread has a tile; the team's others have nothing to do.
template <class T, Way way>
struct HostPanelKernels {
  struct Kernel {
    using On = Teams<way, 1>;
    static constexpr int elements = panel_tile * host_cols<T>, parts = 1;
    System<T> s;

    static constexpr int scratch() {
      return scratch_bytes<T>(elements + aligned_extra<T, cache_line>);
    }
    // action(what one thread does, room for the rows of U of a strip)
    template <class Action>
    void run(const typename On::Member& team, const Action& action) const {
      On::begin(team);
      if (s.stopped()) return;
      T* const right = aligned_scratch<On, T, cache_line>(team, elements);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                           [&](int) { action(HostPanel<T>{s}, right); });
    }
  };
  /// Closes tile (k, k).
  struct Close : Kernel {
    int k;
    KOKKOS_FUNCTION void operator()(const typename Kernel::On::Member& team) const {
      this->run(team, [&](const HostPanel<T>& host, T* right) {
        host.close(team, right, {k * panel_tile, (k + 1) * panel_tile});
      });
    }
  };
  /// The cross of tile (k, k), a tile a team.
  struct Cross : Kernel {
    Region region;
    int k;
    KOKKOS_FUNCTION void operator()(const typename Kernel::On::Member& team) const {
      this->run(team, [&](const HostPanel<T>& host, T* right) {
        host.cross(right, region.at(team.league_rank()), k, region.columns);
      });
    }
  };
  /// The tiles of a region less the products over its columns, a tile a team.
  struct Rest : Kernel {
    Region region;
    KOKKOS_FUNCTION void operator()(const typename Kernel::On::Member& team) const {
      this->run(team, [&](const HostPanel<T>& host, T* right) {
        constexpr int tile = panel_tile;
        const Tile at = region.at(team.league_rank());
        host.products(right, at.row * tile, (at.row + 1) * tile, at.col * tile, (at.col + 1) * tile,
                      region.columns.first, tile);
      });
    }
  };
};

}  // namespace portcost::gauss

#ifdef __CUDACC__
#pragma nv_diag_default 1675
#endif
