// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows or tiles, vectors along rows.
#include <algorithm>

#include "variants/gauss/host_bodies.hpp"

namespace portcost::gauss {

namespace {

// Subtracts a multiple of the pivot's row from `count` elements of a row.
template <class T>
void eliminate_row(T* __restrict row, T times, const T* __restrict from, int count) {
#pragma omp simd
  for (int j = 0; j < count; ++j) row[j] = eliminate(row[j], times, from[j]);
}

// Stores column k in bad_pivot if its pivot is refused.
template <class T>
bool refused(const System<T>& s, int k, T pivot) {
  if (!s.refuses(k, pivot)) return false;
  *s.bad_pivot = k;
  return true;
}

constexpr auto naive = []<class T>(const System<T>& s, const Stream&) {
  for (int k = 0; k < s.n; ++k) {
    const T* const from = s.row(k);
    const T pivot = from[k];
    if (refused(s, k, pivot)) return;
#pragma omp parallel for schedule(static)
    for (int i = k + 1; i < s.n; ++i) {
      T* const row = s.row(i);
      row[k] = multiplier(row[k], pivot);
      eliminate_row(row + k + 1, row[k], from + k + 1, s.n - k);
    }
  }
};

// ---- block_r1. A tile is copied to a local array, as it lies in scratch on a GPU.

template <class T>
struct Staged {
  Staged(const System<T>& s, Tile at) : s_(s), i0(at.row * flat_tile), j0(at.col * flat_tile) {
    for (int r = 0; r < flat_tile; ++r) std::copy_n(s.row(i0 + r) + j0, flat_tile, element[r]);
  }
  void write_back() const {
    for (int r = 0; r < flat_tile; ++r) std::copy_n(element[r], flat_tile, s_.row(i0 + r) + j0);
  }
  const System<T>& s_;
  int i0, j0;
  alignas(cache_line) T element[flat_tile][flat_tile];
};

// Factorises the pivot tile.
template <class T>
void close_staged(const System<T>& s, int k, Columns columns) {
  Staged<T> tile(s, {k, k});
  for (int column = columns.first - tile.j0; column < columns.end - tile.j0; ++column) {
    const T* const from = tile.element[column];
    if (refused(s, tile.j0 + column, from[column])) return;
    for (int r = column + 1; r < flat_tile; ++r) {
      T* const row = tile.element[r];
      row[column] = multiplier(row[column], from[column]);
      eliminate_row(row + column + 1, row[column], from + column + 1, flat_tile - 1 - column);
    }
  }
  tile.write_back();
}

// Solves for a tile beside the pivot tile: it has the pivots' rows, and their multipliers are
// known.
template <class T>
void take_beside(const System<T>& s, Tile at, Columns columns) {
  Staged<T> tile(s, at);
  for (int k = columns.first; k < columns.end; ++k) {
    const T* const from = tile.element[k - tile.i0];
    for (int r = k - tile.i0 + 1; r < flat_tile; ++r) {
      eliminate_row(tile.element[r], s.row(tile.i0 + r)[k], from, flat_tile);
    }
  }
  tile.write_back();
}

// Solves for a tile below the pivot tile: it has the pivots' columns, and their rows are known.
template <class T>
void take_below(const System<T>& s, Tile at, Columns columns) {
  Staged<T> tile(s, at);
  for (int k = columns.first; k < columns.end; ++k) {
    const int column = k - tile.j0;
    const T* const from = s.row(k) + tile.j0;
    for (int r = 0; r < flat_tile; ++r) {
      T* const row = tile.element[r];
      row[column] = multiplier(row[column], from[column]);
      eliminate_row(row + column + 1, row[column], from + column + 1, flat_tile - 1 - column);
    }
  }
  tile.write_back();
}

template <class T>
void take_staged(const System<T>& s, Tile at, Columns columns) {
  Staged<T> tile(s, at);
  for (int k = columns.first; k < columns.end; ++k) {
    const T* const from = s.row(k) + tile.j0;
    for (int r = 0; r < flat_tile; ++r) {
      eliminate_row(tile.element[r], s.row(tile.i0 + r)[k], from, flat_tile);
    }
  }
  tile.write_back();
}

template <class T, class Action>
void for_tiles(const System<T>& s, const Region& region, const Action& action) {
  if (s.stopped()) return;
#pragma omp parallel for schedule(static)
  for (int index = 0; index < region.count(); ++index) action(region.at(index));
}

constexpr auto block_r1 = []<class T>(const System<T>& s, const Stream&) {
  rounds(
      Tiles(s.n, flat_tile), s.r1,
      [&](int k, Columns columns) {
        if (!s.stopped()) close_staged(s, k, columns);
      },
      [&](int k, const Region& region) {
        for_tiles(s, region, [&](Tile at) {
          if (at.row == k) {
            take_beside(s, at, region.columns);
          } else {
            take_below(s, at, region.columns);
          }
        });
      },
      [&](const Region& region) {
        for_tiles(s, region, [&](Tile at) { take_staged(s, at, region.columns); });
      });
};

// ---- panel. Strips of host_cols columns; register blocks of up to host_rows rows of a strip.

// What HostStrips (host_bodies.hpp) calls `right`.
template <class T>
struct Right {
  alignas(cache_line) T at[panel_tile * host_cols<T>];
};
// Factorises the pivot tile, strip by strip.
template <class T>
void close_tile(const System<T>& s, int first, int end) {
  constexpr int wide = host_cols<T>;
  const HostStrips<T> host{s};
  Right<T> right;
  for (int p = first; p < end; p += wide) {
    for (int k = p; k < p + wide; ++k) {
      const T* const from = s.row(k);
      if (refused(s, k, from[k])) return;
      for (int i = k + 1; i < p + wide; ++i) {
        T* const row = s.row(i);
        row[k] = multiplier(row[k], from[k]);
        eliminate_row(row + k + 1, row[k], from + k + 1, p + wide - k - 1);
      }
    }
    host.divide_strip(right.at, p + wide, end, p);
    host.solve_strip(p, p + wide, end);
    host.products(right.at, p + wide, end, p + wide, end, p, wide);
  }
}

constexpr auto panel = []<class T>(const System<T>& s, const Stream&) {
  constexpr int tile = panel_tile;
  const HostStrips<T> host{s};
  rounds(
      Tiles(s.n, tile), tile,
      [&](int, Columns columns) {
        if (!s.stopped()) close_tile(s, columns.first, columns.end);
      },
      [&](int k, const Region& region) {
        for_tiles(s, region, [&](Tile at) {
          Right<T> right;
          host.cross(right.at, at, k, region.columns);
        });
      },
      [&](const Region& region) {
        for_tiles(s, region, [&](Tile at) {
          Right<T> right;
          host.products(right.at, at.row * tile, (at.row + 1) * tile, at.col * tile,
                        (at.col + 1) * tile, region.columns.first, tile);
        });
      });
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "naive", naive), rung(works, "block_r1", block_r1),
          rung(works, "panel", panel)};
}

}  // namespace portcost::gauss
