// SPDX-License-Identifier: Apache-2.0
// Portable kernels for a tile that one thread has, as on a host: rows or register blocks one after
// another.
#pragma once

#include "variants/gauss/host_bodies.hpp"
#include "variants/shared/kokkos_tiles.hpp"

namespace portcost::gauss {

/// Subtracts a multiple of the pivot's row from `count` elements of a row, by a thread's lanes.
template <class On, class T>
KOKKOS_INLINE_FUNCTION void eliminate_row(const typename On::Member& team, T* row, T times,
                                          const T* from, int count) {
  On::for_lanes(team, 0, count, [=](int j) { row[j] = eliminate(row[j], times, from[j]); });
}

/// block_r1: a tile in scratch, row by row, by one thread of a team. `k`: the pivot tile; tiles
/// beside it have the pivots' rows, tiles below it the pivots' columns.
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
  // A vector is a whole cache line. Two vectors of half a line would take twice as many stores, and
  // a processor with vectors of a line stores one at a time.
  template <class T>
  using Line = typename Vectors<T, cache_line>::Vector;
  template <class T>
  static constexpr int wide = Vectors<T, cache_line>::wide;

  template <class T>
  KOKKOS_FUNCTION static void copy(T* to, const T* from) {
    for (int c = 0; c < flat_tile; c += wide<T>) {
      *reinterpret_cast<Line<T>*>(to + c) = *reinterpret_cast<const Line<T>*>(from + c);
    }
  }
  // Updates the tile's rows from `first` on by pivot `via`, whose row stays in registers.
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

/// panel: one thread's work (host_bodies.hpp).
template <class T>
struct HostPanel : HostStrips<T> {
  using HostStrips<T>::s;
  using HostStrips<T>::wide;

  template <class On>
  void close(const typename On::Member& team, T* right, Columns columns) const {
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
          eliminate_row<On>(team, row + k + 1, row[k], from + k + 1, p + wide - k - 1);
        }
      }
      this->divide_strip(right, p + wide, columns.end, p);
      this->solve_strip(p, p + wide, columns.end);
      this->products(right, p + wide, columns.end, p + wide, columns.end, p, wide);
    }
  }
};

/// panel's work on the tiles of a region. `k`: the pivot tile, where the region is the pivot tile
/// or its cross, else -1.
template <class T>
struct HostPanelStep {
  using On = Teams<1>;
  static constexpr int elements = panel_tile * host_cols<T>;
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
      constexpr int tile = panel_tile;
      host.products(right, at.row * tile, (at.row + 1) * tile, at.col * tile, (at.col + 1) * tile,
                    region.columns.first, tile);
    } else if (at.row == at.col) {
      host.template close<On>(team, right, region.columns);
    } else {
      host.cross(right, at, k, region.columns);
    }
  }
};

/// panel's kernels where one thread has a tile; other threads of the team idle. A tile's position
/// relative to the pivot tile decides what is done with it.
template <class T>
struct HostPanelKernels {
  using Step = HostPanelStep<T>;
  /// Factorises tile (k, k).
  struct Close : Step {
    Close(const System<T>& all, int at)
        : Step{all,
               {{at * panel_tile, (at + 1) * panel_tile}, {at, 1}, {at, 1}, {0, 0}, {0, 0}},
               at} {}
  };
  /// Solves for its cross, a tile a team.
  struct Cross : Step {
    static constexpr int parts = 1;
    Cross(const System<T>& all, const Region& tiles, int at) : Step{all, tiles, at} {}
  };
  /// The trailing update, a tile a team.
  struct Rest : Step {
    Rest(const System<T>& all, const Region& tiles) : Step{all, tiles, -1} {}
  };
};

}  // namespace portcost::gauss
