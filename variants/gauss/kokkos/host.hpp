// SPDX-License-Identifier: Apache-2.0
// Portable kernels for tiles that one thread has to itself, as on a host: rows or register blocks
// one after another.
#pragma once

#include "variants/gauss/host.hpp"
#include "variants/shared/kokkos_tiles.hpp"

// nvcc compiles this and never runs it; it does not know the pragma.
#ifdef __CUDACC__
#pragma nv_diag_suppress 1675
#endif

namespace portcost::gauss {

/// `count` elements of a row less a multiple of the pivot's, by the lanes of a thread.
template <class On, class T>
KOKKOS_INLINE_FUNCTION void eliminate_row(const typename On::Member& team, T* row, T times,
                                          const T* from, int count) {
  On::for_lanes(team, 0, count, [=](int j) { row[j] = eliminate(row[j], times, from[j]); });
}

/// block_r1: a tile that lies in scratch, row by row, by one thread of a team. `k`: the tile with
/// the pivots; tiles beside it have the pivots' rows, those below it their columns.
struct StagedByRows {
  template <class T>
  static constexpr int elements() {
    return flat_tile * flat_tile + aligned_extra<T, cache_line>;
  }

  template <class On, class T>
  KOKKOS_FUNCTION static void take(const typename On::Member& team, const System<T>& s, Tile at,
                                   int k, Columns columns) {
    T* const staged = aligned_scratch<On, T, cache_line>(team, flat_tile * flat_tile);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1),
                         [&](int) { by_rows<On>(team, s, staged, at, k, columns); });
  }

 private:
  template <class On, class T>
  KOKKOS_FUNCTION static void by_rows(const typename On::Member& team, const System<T>& s,
                                      T* staged, Tile at, int k, Columns columns) {
    constexpr int tile = flat_tile;
    const int i0 = at.row * tile, j0 = at.col * tile;
    const bool beside = at.row == k, below = at.col == k;
    for (int r = 0; r < tile; ++r) copy(staged + r * tile, s.row(i0 + r) + j0);
    for (int via = columns.first; via < columns.end; ++via) {
      const T* const from = beside ? staged + (via - i0) * tile : s.row(via) + j0;
      const int column = below ? via - j0 : -1;
      if (beside && below && s.refuses(via, from[column])) {
        *s.bad_pivot = via;
        return;
      }
      const int first = beside ? via - i0 + 1 : 0;
      if (!below) {
        take_row(s, staged, i0, first, via, from);
        continue;
      }
      for (int r = first; r < tile; ++r) {
        T* const row = staged + r * tile;
        row[column] = multiplier(row[column], from[column]);
        eliminate_row<On>(team, row + column + 1, row[column], from + column + 1,
                          tile - 1 - column);
      }
    }
    for (int r = 0; r < tile; ++r) copy(s.row(i0 + r) + j0, staged + r * tile);
  }
  // Vectors of a whole line: two of half a line write as much by twice as many stores, and stores
  // are what a processor with vectors of a line can do one of at a time.
  template <class T>
  using Line = typename Vectors<T, cache_line>::Vector;
  template <class T>
  static constexpr int wide = Vectors<T, cache_line>::wide;

  // A row of the tile.
  template <class T>
  KOKKOS_FUNCTION static void copy(T* to, const T* from) {
    for (int c = 0; c < flat_tile; c += wide<T>) {
      *reinterpret_cast<Line<T>*>(to + c) = *reinterpret_cast<const Line<T>*>(from + c);
    }
  }
  // The tile's rows from `first` on less their multiples of the pivot's row, which stays in
  // registers.
  template <class T>
  KOKKOS_FUNCTION static void take_row(const System<T>& s, T* staged, int i0, int first, int via,
                                       const T* from) {
    constexpr int tile = flat_tile;
    Line<T> given[tile / wide<T>];
#pragma GCC unroll 16
    for (int c = 0; c < tile; c += wide<T>) {
      given[c / wide<T>] = *reinterpret_cast<const Line<T>*>(from + c);
    }
    for (int r = first; r < tile; ++r) {
      const T times = s.row(i0 + r)[via];
#pragma GCC unroll 16
      for (int c = 0; c < tile; c += wide<T>) {
        eliminate_vector(*reinterpret_cast<Line<T>*>(staged + r * tile + c), times,
                         given[c / wide<T>]);
      }
    }
  }
};

/// The tiles of a region of panel; `k`: the closed tile, when it is to be closed or this is its
/// cross, else -1.
template <class T, Way way>
struct HostPanelStep {
  using On = Teams<way, 1>;
  static constexpr int elements = HostPanel<T>::elements;
  System<T> s;
  Region region;
  int k;

  static constexpr int scratch() {
    return scratch_bytes<T>(elements + aligned_extra<T, cache_line>);
  }
  KOKKOS_FUNCTION void operator()(const typename On::Member& team) const {
    On::begin(team);
    if (s.stopped()) return;
    const Tile at = region.at(team.league_rank());
    T* const right = aligned_scratch<On, T, cache_line>(team, elements);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 1), [&](int) { take(team, at, right); });
  }
  void take(const typename On::Member& team, Tile at, T* right) const {
    const HostPanel<T> host{s};
    if (k < 0) {
      host.rest(right, at, region.columns.first);
    } else if (at.row == at.col) {
      host.close(right, region.columns, [&](T* row, T times, const T* from, int count) {
        eliminate_row<On>(team, row, times, from, count);
      });
    } else {
      host.cross(right, at, k, region.columns);
    }
  }
};

/// panel's kernels where one thread has a tile; the team's others have nothing to do. What a tile
/// is to the closed one says what is done with it.
template <class T, Way way>
struct HostPanelKernels {
  using Step = HostPanelStep<T, way>;
  /// Closes tile (k, k).
  struct Close : Step {
    Close(const System<T>& all, int at)
        : Step{all,
               {{at * panel_tile, (at + 1) * panel_tile}, {at, 1}, {at, 1}, {0, 0}, {0, 0}},
               at} {}
  };
  /// Its cross, a tile a team.
  struct Cross : Step {
    static constexpr int parts = 1;
    Cross(const System<T>& all, const Region& tiles, int at) : Step{all, tiles, at} {}
  };
  /// The tiles of a region less the products over its columns, a tile a team.
  struct Rest : Step {
    Rest(const System<T>& all, const Region& tiles) : Step{all, tiles, -1} {}
  };
};

}  // namespace portcost::gauss

#ifdef __CUDACC__
#pragma nv_diag_default 1675
#endif
