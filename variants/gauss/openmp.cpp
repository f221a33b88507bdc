// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over rows or tiles, vectors along rows.
#include <algorithm>

#include "variants/gauss/problem.hpp"

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

// Updates rows i .. i + rows - 1 of a strip by `depth` pivots. `right`: the rows of U in the
// strip's columns, one after another. A separate function, as in Kokkos.
template <int rows, class T>
[[gnu::noinline]] void register_block(const System<T>& s, int i, int j, int k, int depth,
                                      const T* right) {
  Strip<T> block[rows];
  const T* left[rows];
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) {
    block[r] = Strip<T>::load(s.row(i + r) + j);
    left[r] = s.row(i + r) + k;
    Strip<T>::prefetch(s.row(i + rows + r) + j);
  }
  for (int m = 0; m < depth; ++m) {
    const Strip<T> from = Strip<T>::load(right + m * Strip<T>::wide);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r) block[r].eliminate(left[r][m], from);
  }
#pragma GCC unroll 16
  for (int r = 0; r < rows; ++r) block[r].store(s.row(i + r) + j);
}

// Updates rows [i, i_end) and columns [j, j_end) by the pivots in columns [k, k + depth). The rows
// of U of a strip are copied together first, because they lie far apart.
template <class T>
void take_products(const System<T>& s, int i, int i_end, int j, int j_end, int k, int depth) {
  constexpr int wide = host_cols<T>;
  alignas(cache_line) T right[panel_tile * wide];
  for (; j < j_end; j += wide) {
    for (int m = 0; m < depth; ++m) std::copy_n(s.row(k + m) + j, wide, right + m * wide);
    int row = i;
    for (; row + host_rows <= i_end; row += host_rows) {
      register_block<host_rows>(s, row, j, k, depth, right);
    }
    for (; row < i_end; row += host_rest) register_block<host_rest>(s, row, j, k, depth, right);
  }
}

// The square of U on the diagonal at column p, with zeros below the diagonal.
template <class T>
struct Triangle {
  Triangle(const System<T>& s, int p) {
    for (int m = 0; m < Strip<T>::wide; ++m) {
      const T* const from = s.row(p + m) + p;
      pivot[m] = from[m];
      for (int c = 0; c < Strip<T>::wide; ++c) row[m][c] = c > m ? from[c] : T(0);
    }
  }
  T pivot[Strip<T>::wide];
  alignas(cache_line) T row[Strip<T>::wide][Strip<T>::wide];
};

// Solves for the multipliers in rows [i, i_end) of the strip.
template <class T>
void divide_strip(const System<T>& s, int i, int i_end, int p) {
  const Triangle<T> u(s, p);
  for (; i < i_end; ++i) {
    Strip<T> row = Strip<T>::load(s.row(i) + p);
#pragma GCC unroll 16
    for (int m = 0; m < Strip<T>::wide; ++m) {
      const T times = multiplier(row.at(m), u.pivot[m]);
      row.set(m, times);
      row.eliminate(times, Strip<T>::load(u.row[m]));
    }
    row.store(s.row(i) + p);
  }
}

// Solves for columns [j, j_end) of U in the rows of the strip that begins at column p.
template <class T>
void solve_strip(const System<T>& s, int p, int j, int j_end) {
  constexpr int wide = host_cols<T>;
  for (; j < j_end; j += wide) {
    for (int r = 1; r < wide; ++r) {
      const T* const left = s.row(p + r) + p;
      Strip<T> row = Strip<T>::load(s.row(p + r) + j);
      for (int m = 0; m < r; ++m) row.eliminate(left[m], Strip<T>::load(s.row(p + m) + j));
      row.store(s.row(p + r) + j);
    }
  }
}

// Factorises the pivot tile, strip by strip.
template <class T>
void close_tile(const System<T>& s, int first, int end) {
  constexpr int wide = host_cols<T>;
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
    divide_strip(s, p + wide, end, p);
    solve_strip(s, p, p + wide, end);
    take_products(s, p + wide, end, p + wide, end, p, wide);
  }
}

// Solves for a tile beside the pivot tile, strip by strip.
template <class T>
void solve_beside(const System<T>& s, Columns columns, int j) {
  constexpr int wide = host_cols<T>;
  for (int p = columns.first; p < columns.end; p += wide) {
    solve_strip(s, p, j, j + panel_tile);
    take_products(s, p + wide, columns.end, j, j + panel_tile, p, wide);
  }
}

// Solves for a tile below the pivot tile.
template <class T>
void solve_below(const System<T>& s, Columns columns, int i) {
  constexpr int wide = host_cols<T>;
  for (int p = columns.first; p < columns.end; p += wide) {
    divide_strip(s, i, i + panel_tile, p);
    take_products(s, i, i + panel_tile, p + wide, columns.end, p, wide);
  }
}

constexpr auto panel = []<class T>(const System<T>& s, const Stream&) {
  constexpr int tile = panel_tile;
  rounds(
      Tiles(s.n, tile), tile,
      [&](int, Columns columns) {
        if (!s.stopped()) close_tile(s, columns.first, columns.end);
      },
      [&](int k, const Region& region) {
        for_tiles(s, region, [&](Tile at) {
          if (at.row == k) {
            solve_beside(s, region.columns, at.col * tile);
          } else {
            solve_below(s, region.columns, at.row * tile);
          }
        });
      },
      [&](const Region& region) {
        for_tiles(s, region, [&](Tile at) {
          take_products(s, at.row * tile, (at.row + 1) * tile, at.col * tile, (at.col + 1) * tile,
                        region.columns.first, tile);
        });
      });
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "naive", naive), rung(works, "block_r1", block_r1),
          rung(works, "panel", panel)};
}

}  // namespace portcost::gauss
