// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows or tiles, vectors along rows.
#include <algorithm>

#include "variants/gauss/host.hpp"
#include "variants/gauss/problem.hpp"

namespace portcost::gauss {

namespace {

// `count` elements of a row less a multiple of the pivot's.
template <class T>
void eliminate_row(T* __restrict row, T times, const T* __restrict from, int count) {
#pragma omp simd
  for (int j = 0; j < count; ++j) row[j] = eliminate(row[j], times, from[j]);
}

// Notes column k when its pivot is refused.
template <class T>
bool refused(const System<T>& s, int k, T pivot) {
  if (!s.refuses(k, pivot)) return false;
  *s.bad_pivot = k;
  return true;
}

template <class T>
void naive(const System<T>& s, const Stream&) {
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
}

// ---- block_r1. A tile lies in an array of its own meanwhile, as it lies in scratch on a GPU.

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

// A tile over `columns`. `beside`: it has the pivots' rows; `below`: it has their columns.
template <bool beside, bool below, class T>
void take_staged(const System<T>& s, Tile at, Columns columns) {
  Staged<T> tile(s, at);
  for (int k = columns.first; k < columns.end; ++k) {
    const T* const from = beside ? tile.element[k - tile.i0] : s.row(k) + tile.j0;
    const int column = below ? k - tile.j0 : -1;
    if (beside && below && refused(s, k, from[column])) return;
    for (int r = beside ? k - tile.i0 + 1 : 0; r < flat_tile; ++r) {
      T* const row = tile.element[r];
      if (below) row[column] = multiplier(row[column], from[column]);
      eliminate_row(row + column + 1, below ? row[column] : s.row(tile.i0 + r)[k],
                    from + column + 1, flat_tile - 1 - column);
    }
  }
  tile.write_back();
}

// All tiles of a region, by all threads: action(tile).
template <class T, class Action>
void for_tiles(const System<T>& s, const Region& region, const Action& action) {
  if (s.stopped()) return;
#pragma omp parallel for schedule(static)
  for (int index = 0; index < region.count(); ++index) action(region.at(index));
}

template <class T>
void block_r1(const System<T>& s, const Stream&) {
  rounds(
      Tiles(s.n, flat_tile), s.r1,
      [&](int k, Columns columns) {
        if (!s.stopped()) take_staged<true, true>(s, {k, k}, columns);
      },
      [&](int k, const Region& region) {
        for_tiles(s, region, [&](Tile at) {
          if (at.row == k) {
            take_staged<true, false>(s, at, region.columns);
          } else {
            take_staged<false, true>(s, at, region.columns);
          }
        });
      },
      [&](const Region& region) {
        for_tiles(s, region, [&](Tile at) { take_staged<false, false>(s, at, region.columns); });
      });
}

// What panel copies together, an array of each thread.
template <class T>
struct Right {
  alignas(cache_line) T at[HostPanel<T>::elements];
};

template <class T>
void panel(const System<T>& s, const Stream&) {
  const HostPanel<T> host{s};
  rounds(
      Tiles(s.n, panel_tile), panel_tile,
      [&](int, Columns columns) {
        Right<T> right;
        if (s.stopped()) return;
        host.close(right.at, columns, [](T* row, T times, const T* from, int count) {
          eliminate_row(row, times, from, count);
        });
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
          host.rest(right.at, at, region.columns.first);
        });
      });
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "naive", [](const auto& s, const Stream& on) { naive(s, on); }),
          rung(works, "block_r1", [](const auto& s, const Stream& on) { block_r1(s, on); }),
          rung(works, "panel", [](const auto& s, const Stream& on) { panel(s, on); })};
}

}  // namespace portcost::gauss
