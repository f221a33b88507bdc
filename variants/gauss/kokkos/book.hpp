// SPDX-License-Identifier: Apache-2.0
// LU factorisation in plain Kokkos. This header depends only on Kokkos and rule.hpp. block_r1
// implements the algorithm of Likhoded and Poleshchuk (2016). The other kernels are blocked like
// LAPACK's getrf: they factorise the pivot tile, solve for the tiles to its right and below it, and
// update the trailing tiles.
#pragma once

#include <Kokkos_Core.hpp>

#include "variants/gauss/rule.hpp"

namespace portcost::gauss::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <int threads, int teams = 0>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, teams>>;
using Member = Teams<256>::member_type;
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;
/// Returns the scratch level for requests that may exceed 32 KiB, the limit of level 0 on a host
/// from Kokkos 5 on.
KOKKOS_INLINE_FUNCTION constexpr int large_scratch() { return on_host ? 1 : 0; }

/// Matrix: a row-major matrix in global memory. Scratch: an array in team scratch memory.
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Space, Unmanaged>;
template <class Array>
using Scratch = Kokkos::View<Array, Kokkos::LayoutRight, Space::scratch_memory_space, Unmanaged>;

/// Consecutive elements of a row. One vector instruction loads or stores them.
template <class T, int length>
struct alignas(length * sizeof(T)) PackOf {
  T at[length];
};
template <class T>
using Pack = PackOf<T, 4>;

/// A system of n equations: a(i, j) is a coefficient, and column n is the right-hand side. `pairs`
/// and `packs` view the same memory. Rows and columns are padded to a multiple of 128. `bad_pivot`
/// is -1, or the column of the first rejected pivot; once it is set, all later kernels return at
/// once.
template <class T>
struct System {
  Matrix<T> a;
  Matrix<PackOf<T, 2>> pairs;
  Matrix<Pack<T>> packs;
  Kokkos::View<int, Space, Unmanaged> bad_pivot;
  int n;
  T tiny;

  KOKKOS_INLINE_FUNCTION bool stopped() const { return bad_pivot() >= 0; }
  KOKKOS_INLINE_FUNCTION bool refuses(int k, T pivot) const {
    return k < n && is_bad_pivot(pivot, tiny);
  }
  KOKKOS_INLINE_FUNCTION void note(const Member& team, int k) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] { bad_pivot() = k; });
  }
  template <int length>
  KOKKOS_INLINE_FUNCTION const auto& packs_of() const {
    if constexpr (length == 2) {
      return pairs;
    } else {
      return packs;
    }
  }
};

// ---- One kernel launch per column.

/// naive: one launch per column k. Each team updates a tile of 32 x 32 elements. Each lane updates
/// four elements of a column, eight rows apart, and loads all four before it stores any. The kernel
/// does not scale column k; a last launch divides all elements below the diagonal by their pivots.
template <class T>
void naive(const Space& space, int team_size, const System<T>& s) {
  constexpr int warps = 8, rows = 4, cols = 32;
  for (int k = 0; k < s.n; ++k) {
    const int across = (s.n - k + cols - 1) / cols;
    const int down = k + 1 < s.n ? (s.n - 2 - k) / (warps * rows) + 1 : 1;
    Kokkos::parallel_for(
        "gauss::book::naive", Teams<256>(space, across * down, team_size, cols),
        KOKKOS_LAMBDA(const Member& team) {
          if (s.stopped()) return;
          const T pivot = s.a(k, k);
          if (s.refuses(k, pivot)) {
            if (team.league_rank() == 0) s.note(team, k);
            return;
          }
          const int i0 = k + 1 + team.league_rank() / across * warps * rows;
          const int j0 = k + 1 + team.league_rank() % across * cols;
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, warps), [&](int warp) {
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, j0, j0 + cols), [&](int j) {
              if (j > s.n) return;
              const T inverse = reciprocal(pivot), from = s.a(k, j);
              T factor[rows], own[rows];
              for (int r = 0; r < rows; ++r) {
                const int i = i0 + warp + r * warps;
                if (i >= s.n) continue;
                factor[r] = s.a(i, k);
                own[r] = s.a(i, j);
              }
              for (int r = 0; r < rows; ++r) {
                const int i = i0 + warp + r * warps;
                if (i < s.n) s.a(i, j) = eliminate(own[r], factor[r] * inverse, from);
              }
            });
          });
        });
  }
  const int across = (s.n + cols - 1) / cols, down = (s.n + warps - 1) / warps;
  Kokkos::parallel_for(
      "gauss::book::multipliers", Teams<256>(space, across * down, team_size, cols),
      KOKKOS_LAMBDA(const Member& team) {
        if (s.stopped()) return;
        const int i0 = team.league_rank() / across * warps, j0 = team.league_rank() % across * cols;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, i0, i0 + warps), [&](int i) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, j0, j0 + cols), [&](int j) {
            if (i < s.n && j < i) s.a(i, j) = multiplier(s.a(i, j), s.a(j, j));
          });
        });
      });
}

/// naive on a host: each team updates 16 rows. Each thread computes the multiplier of a row and
/// updates that row.
template <class T>
void naive_rows(const Space& space, int team_size, const System<T>& s) {
  constexpr int rows = 16;
  for (int k = 0; k < s.n; ++k) {
    const int teams = k + 1 < s.n ? (s.n - 2 - k) / rows + 1 : 1;
    Kokkos::parallel_for(
        "gauss::book::naive_rows", Teams<256>(space, teams, team_size, 1),
        KOKKOS_LAMBDA(const Member& team) {
          if (s.stopped()) return;
          const T pivot = s.a(k, k);
          if (s.refuses(k, pivot)) {
            if (team.league_rank() == 0) s.note(team, k);
            return;
          }
          const int first = k + 1 + team.league_rank() * rows;
          const int end = s.n - first < rows ? s.n : first + rows;
          const auto from = Kokkos::subview(s.a, k, Kokkos::ALL);
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, end), [&](int i) {
            const auto row = Kokkos::subview(s.a, i, Kokkos::ALL);
            const T factor = multiplier(row(k), pivot);
            row(k) = factor;
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, k + 1, s.n + 1),
                                 [&](int j) { row(j) = eliminate(row(j), factor, from(j)); });
          });
        });
  }
}

// ---- Tiles of 64 x 64 in scratch.

inline constexpr int flat_tile = 64;
template <class T>
using FlatTile = Scratch<T[flat_tile][flat_tile]>;

/// Calls f(r, c) for the elements of item `item` of 256: every fourth row r of column c.
template <class F>
KOKKOS_INLINE_FUNCTION void for_elements(int item, const F& f) {
#pragma unroll 4
  for (int r = 0; r < flat_tile; r += 4) f(r + item / flat_tile, item % flat_tile);
}

/// Updates a tile in the pivot tile's row (`beside`) or column (`below`), or factorises the pivot
/// tile (both flags). The team eliminates one pivot at a time, with barriers between the pivots.
template <bool beside, bool below, class T, class Columns>
KOKKOS_INLINE_FUNCTION void factorise_cross(const Member& team, const System<T>& s,
                                            const FlatTile<T>& tile, int i0, int j0,
                                            Columns columns) {
  constexpr int items = 256, size = flat_tile;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, items), [&](int item) {
    for_elements(item, [&](int r, int c) { tile(r, c) = s.a(i0 + r, j0 + c); });
  });
  for (int p = columns.first; p < columns.end; ++p) {
    const int row = beside ? p - i0 : -1, column = below ? p - j0 : -1;
    const auto from = [&](int c) { return beside ? tile(row, c) : s.a(p, j0 + c); };
    team.team_barrier();
    if constexpr (below) {
      const T pivot = from(column);
      if (beside && s.refuses(p, pivot)) {
        s.note(team, p);
        return;
      }
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, size), [&](int r) {
        if (r > row) tile(r, column) = multiplier(tile(r, column), pivot);
      });
      team.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, items), [&](int item) {
      for_elements(item, [&](int r, int c) {
        if (r <= row || c <= column) return;
        const T factor = below ? tile(r, column) : s.a(i0 + r, p);
        tile(r, c) = eliminate(tile(r, c), factor, from(c));
      });
    });
  }
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, items), [&](int item) {
    for_elements(item, [&](int r, int c) { s.a(i0 + r, j0 + c) = tile(r, c); });
  });
}

/// block_r1: each team updates one tile of `region` by the pivots in `region.columns`, which lie in
/// tile (k, k). Elements of a trailing tile are independent, so the threads need no barriers.
template <class T, class Region>
void block_r1(const Space& space, int team_size, const System<T>& s, const Region& region, int k) {
  Teams<256> teams(space, region.count(), team_size, 32);
  teams.set_scratch_size(large_scratch(), Kokkos::PerTeam(FlatTile<T>::shmem_size()));
  Kokkos::parallel_for(
      "gauss::book::block_r1", teams, KOKKOS_LAMBDA(const Member& team) {
        if (s.stopped()) return;
        const FlatTile<T> tile(team.team_scratch(large_scratch()));
        const auto at = region.at(team.league_rank());
        const auto columns = region.columns;
        const int i0 = at.row * flat_tile, j0 = at.col * flat_tile;
        if (at.row == k && at.col == k) {
          factorise_cross<true, true>(team, s, tile, i0, j0, columns);
        } else if (at.row == k) {
          factorise_cross<true, false>(team, s, tile, i0, j0, columns);
        } else if (at.col == k) {
          factorise_cross<false, true>(team, s, tile, i0, j0, columns);
        } else {
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, 256), [&](int item) {
            for_elements(item, [&](int r, int c) { tile(r, c) = s.a(i0 + r, j0 + c); });
            for (int p = columns.first; p < columns.end; ++p) {
              const T from = s.a(p, j0 + item % flat_tile);
              for_elements(item, [&](int r, int c) {
                tile(r, c) = eliminate(tile(r, c), s.a(i0 + r, p), from);
              });
            }
            for_elements(item, [&](int r, int c) { s.a(i0 + r, j0 + c) = tile(r, c); });
          });
        }
      });
}

/// block_r1 on a host: uses the same tile, and each thread updates whole rows.
template <class T, class Region>
void block_rows(const Space& space, int team_size, int scratch_level, const System<T>& s,
                const Region& region, int k) {
  using Row = Kokkos::View<const T*, Space, Unmanaged>;
  constexpr int size = flat_tile;
  Teams<256> teams(space, region.count(), team_size, 1);
  teams.set_scratch_size(scratch_level, Kokkos::PerTeam(FlatTile<T>::shmem_size()));
  Kokkos::parallel_for(
      "gauss::book::block_rows", teams, KOKKOS_LAMBDA(const Member& team) {
        if (s.stopped()) return;
        const FlatTile<T> tile(team.team_scratch(scratch_level));
        const auto at = region.at(team.league_rank());
        const int i0 = at.row * size, j0 = at.col * size;
        const bool beside = at.row == k, below = at.col == k;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, size), [&](int r) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, size),
                               [&](int c) { tile(r, c) = s.a(i0 + r, j0 + c); });
        });
        for (int p = region.columns.first; p < region.columns.end; ++p) {
          team.team_barrier();
          const Row from(beside ? &tile(p - i0, 0) : &s.a(p, j0), size);
          const int column = below ? p - j0 : -1;
          if (beside && below && s.refuses(p, from(column))) {
            s.note(team, p);
            return;
          }
          Kokkos::parallel_for(
              Kokkos::TeamThreadRange(team, beside ? p - i0 + 1 : 0, size), [&](int r) {
                const auto row = Kokkos::subview(tile, r, Kokkos::ALL);
                const T factor = below ? multiplier(row(column), from(column)) : s.a(i0 + r, p);
                if (below) row(column) = factor;
                Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, column + 1, size),
                                     [&](int c) { row(c) = eliminate(row(c), factor, from(c)); });
              });
        }
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, size), [&](int r) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, size),
                               [&](int c) { s.a(i0 + r, j0 + c) = tile(r, c); });
        });
      });
}

// ---- Host kernels: tiles of 128 x 128 in strips of columns. Each row of a strip fills one cache
// line.

template <class T>
inline constexpr int strip_cols = 64 / sizeof(T);
template <class T>
using Strip = Scratch<PackOf<T, strip_cols<T>>*>;

/// Updates a block of four rows of a strip, at element (i, j), by pivots k to k + depth - 1.
/// `right` holds the corresponding rows of U. The thread keeps the block in registers.
template <class T>
KOKKOS_INLINE_FUNCTION void update_block(const Member& team, const System<T>& s,
                                         const Strip<T>& right, int i, int j, int k, int depth) {
  constexpr int rows = 4, cols = strip_cols<T>;
  T own[rows][cols];
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) own[r][c] = s.a(i + r, j + c);
  }
  for (int m = 0; m < depth; ++m) {
    T factor[rows];
    for (int r = 0; r < rows; ++r) factor[r] = s.a(i + r, k + m);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, cols), [&](int c) {
      const T from = right(m).at[c];
      for (int r = 0; r < rows; ++r) own[r][c] = eliminate(own[r][c], factor[r], from);
    });
  }
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) s.a(i + r, j + c) = own[r][c];
  }
}

/// Updates rows [i, i_end) and columns [j, j_end) by pivots k to k + depth - 1. For each strip the
/// team copies the rows of U to `right`, where they are contiguous.
template <class T>
KOKKOS_INLINE_FUNCTION void update_strips(const Member& team, const System<T>& s,
                                          const Strip<T>& right, int i, int i_end, int j, int j_end,
                                          int k, int depth) {
  constexpr int cols = strip_cols<T>;
  for (; j < j_end; j += cols) {
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, depth), [&](int m) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, cols),
                           [&](int c) { right(m).at[c] = s.a(k + m, j + c); });
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, (i_end - i) / 4), [&](int block) {
      update_block(team, s, right, i + block * 4, j, k, depth);
    });
  }
}

/// Computes the multipliers in rows [i, i_end) of the strip that begins at column p.
template <class T>
KOKKOS_INLINE_FUNCTION void solve_rows(const Member& team, const System<T>& s, int i, int i_end,
                                       int p) {
  constexpr int cols = strip_cols<T>;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, i, i_end), [&](int row) {
    T own[cols];
    for (int c = 0; c < cols; ++c) own[c] = s.a(row, p + c);
    for (int m = 0; m < cols; ++m) {
      const T factor = multiplier(own[m], s.a(p + m, p + m));
      own[m] = factor;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, cols), [&](int c) {
        const T left = eliminate(own[c], factor, s.a(p + m, p + c));
        own[c] = c > m ? left : own[c];
      });
    }
    for (int c = 0; c < cols; ++c) s.a(row, p + c) = own[c];
  });
}

/// Solves for columns [j, j_end) of the U rows p to p + strip_cols - 1.
template <class T>
KOKKOS_INLINE_FUNCTION void solve_columns(const Member& team, const System<T>& s, int p, int j,
                                          int j_end) {
  constexpr int cols = strip_cols<T>;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, (j_end - j) / cols), [&](int strip) {
    const int first = j + strip * cols;
    for (int r = 1; r < cols; ++r) {
      for (int m = 0; m < r; ++m) {
        const T factor = s.a(p + r, p + m);
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, first, first + cols), [&](int c) {
          s.a(p + r, c) = eliminate(s.a(p + r, c), factor, s.a(p + m, c));
        });
      }
    }
  });
}

/// Factorises the diagonal block at column p. Returns false if a pivot is rejected.
template <class T>
KOKKOS_INLINE_FUNCTION bool factorise_square(const Member& team, const System<T>& s, int p) {
  constexpr int cols = strip_cols<T>;
  for (int k = p; k < p + cols; ++k) {
    team.team_barrier();
    const T pivot = s.a(k, k);
    if (s.refuses(k, pivot)) {
      s.note(team, k);
      return false;
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, k + 1, p + cols), [&](int i) {
      const T factor = multiplier(s.a(i, k), pivot);
      s.a(i, k) = factor;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, k + 1, p + cols),
                           [&](int j) { s.a(i, j) = eliminate(s.a(i, j), factor, s.a(k, j)); });
    });
  }
  return true;
}

/// panel on a host: each team processes one tile of `region`. It factorises the pivot tile (k, k),
/// solves for a tile in the pivot tile's row or column, or updates a trailing tile.
template <class T, class Region>
void panel_strips(const Space& space, int team_size, const System<T>& s, const Region& region,
                  int k) {
  constexpr int tile = 128, cols = strip_cols<T>;
  Teams<256> teams(space, region.count(), team_size, 1);
  teams.set_scratch_size(0, Kokkos::PerTeam(Strip<T>::shmem_size(tile)));
  Kokkos::parallel_for(
      "gauss::book::panel_strips", teams, KOKKOS_LAMBDA(const Member& team) {
        if (s.stopped()) return;
        const auto at = region.at(team.league_rank());
        const Strip<T> right(team.team_scratch(0), tile);
        const int i = at.row * tile, j = at.col * tile, end = region.columns.end;
        if (at.row != k && at.col != k) {
          update_strips(team, s, right, i, i + tile, j, j + tile, region.columns.first, tile);
          return;
        }
        for (int p = region.columns.first; p < end; p += cols) {
          const int past = p + cols;
          team.team_barrier();
          if (at.row != k) {
            solve_rows(team, s, i, i + tile, p);
            update_strips(team, s, right, i, i + tile, past, end, p, cols);
          } else if (at.col != k) {
            solve_columns(team, s, p, j, j + tile);
            update_strips(team, s, right, past, end, j, j + tile, p, cols);
          } else {
            if (!factorise_square(team, s, p)) return;
            team.team_barrier();
            solve_rows(team, s, past, end, p);
            solve_columns(team, s, p, past, end);
            update_strips(team, s, right, past, end, past, end, p, cols);
          }
        }
      });
}

// ---- GPU kernels: each thread keeps its part of its team's tile in registers.

/// Calls f(item, i) for each item of this thread. The mapping of items to threads is fixed, so a
/// thread can keep its data in registers across barriers. On a GPU a thread has one item; on a
/// host, where a team may have one thread, it may have all items.
template <int items>
inline constexpr int most_own = on_host ? items : 1;
template <int items, class F>
KOKKOS_INLINE_FUNCTION void for_own(const Member& team, const F& f) {
  for (int i = 0; i < most_own<items>; ++i) {
    const int item = team.team_rank() + i * team.team_size();
    if (i > 0 && item >= items) break;
    f(item, i);
  }
}

/// Maps 16 x 16 threads to a square tile. Each thread owns a patch of `side` x `side` elements,
/// made of groups of up to four consecutive elements per row. Within a patch the groups are
/// strided; adjacent threads own adjacent groups. A warp covers 8 x 4 patches. Scratch holds slices
/// of `slice` columns. `teams` is the target number of resident teams per multiprocessor.
template <int tile_, int slice_, int teams_>
struct Tiling {
  static constexpr int tile = tile_, slice = slice_, teams = teams_;
  static constexpr int across = 16, threads = across * across, side = tile / across;
  static constexpr int wide = side < 4 ? side : 4, most = most_own<threads>;
  static_assert(tile * slice == threads * wide);  // a slice has one group per thread
  template <class T>
  using Group = PackOf<T, wide>;

  struct Patch {
    int number, x, y;

    KOKKOS_INLINE_FUNCTION explicit Patch(int patch)
        : number(patch), x(patch / 32 % 2 * 8 + patch % 8), y(patch / 64 * 4 + patch % 32 / 8) {}
    KOKKOS_INLINE_FUNCTION static int line(int at, int e) {
      return e / wide * (across * wide) + at * wide + e % wide;
    }
    KOKKOS_INLINE_FUNCTION int row(int r) const { return line(y, r); }
    KOKKOS_INLINE_FUNCTION int col(int c) const { return line(x, c); }
    /// Last row (column) of group r (c) over all patches of the warp.
    KOKKOS_INLINE_FUNCTION int last_row(int r) const { return line(y | 3, r) + wide - 1; }
    KOKKOS_INLINE_FUNCTION int last_col(int c) const { return line(x | 7, c) + wide - 1; }
  };
  template <class F>
  KOKKOS_INLINE_FUNCTION static void for_patches(const Member& team, const F& f) {
    for_own<threads>(team, [&](int item, int i) { f(Patch(item), i); });
  }

  /// Loads or stores the patch's elements of tile (at.row, at.col).
  template <class T, class At>
  KOKKOS_INLINE_FUNCTION static void load(const System<T>& s, const At& at, const Patch& patch,
                                          T (&own)[side][side]) {
    for (int r = 0; r < side; ++r) {
      for (int c = 0; c < side; c += wide) {
        const Group<T> some = s.template packs_of<wide>()(at.row * tile + patch.row(r),
                                                          (at.col * tile + patch.col(c)) / wide);
        for (int e = 0; e < wide; ++e) own[r][c + e] = some.at[e];
      }
    }
  }
  template <class T, class At>
  KOKKOS_INLINE_FUNCTION static void store(const System<T>& s, const At& at, const Patch& patch,
                                           const T (&own)[side][side]) {
    for (int r = 0; r < side; ++r) {
      for (int c = 0; c < side; c += wide) {
        Group<T> some;
        for (int e = 0; e < wide; ++e) some.at[e] = own[r][c + e];
        s.template packs_of<wide>()(at.row * tile + patch.row(r),
                                    (at.col * tile + patch.col(c)) / wide) = some;
      }
    }
  }

  /// Double-buffered slices of the left operand tile (transposed) and of the right operand tile.
  /// Each row of the left slice is padded by one group to reduce bank conflicts of the stores.
  template <class T>
  struct Slices {
    using Left = Scratch<Group<T>[2][slice][tile / wide + 1]>;
    using Right = Scratch<Group<T>[2][slice][tile / wide]>;
    Left left;
    Right right;

    KOKKOS_INLINE_FUNCTION explicit Slices(const Member& team)
        : left(team.team_scratch(large_scratch())), right(team.team_scratch(large_scratch())) {}
    static std::size_t bytes() { return Left::shmem_size() + Right::shmem_size(); }
  };
};

/// For `panel` and later kernels. An f64 element occupies two registers, so only one team fits per
/// multiprocessor.
template <class T>
using Panel = Tiling<128, 8, sizeof(T) == 4 ? 2 : 1>;

/// Loads the patches of tile `at` and updates them by the pivots in `columns`. The team loads the
/// next slice while it computes with the current slice.
template <class Tiles, class T, class At, class Columns>
KOKKOS_INLINE_FUNCTION void load_updated(const Member& team, const System<T>& s, const At& at,
                                         Columns columns,
                                         const typename Tiles::template Slices<T>& slices,
                                         T (&own)[Tiles::most][Tiles::side][Tiles::side]) {
  using Patch = typename Tiles::Patch;
  using Group = typename Tiles::template Group<T>;
  constexpr int tile = Tiles::tile, slice = Tiles::slice, side = Tiles::side, wide = Tiles::wide;
  // The group of each slice that this thread copies from global memory to scratch.
  Group left, right;
  const auto load = [&](int item, int step) {
    const int first = columns.first + step * slice;
    left = s.template packs_of<wide>()(at.row * tile + item / (slice / wide),
                                       first / wide + item % (slice / wide));
    right = s.template packs_of<wide>()(first + item / (tile / wide),
                                        at.col * tile / wide + item % (tile / wide));
  };
  const auto store = [&](int item, int place) {
    const int line = item / (slice / wide), m = item % (slice / wide) * wide;
    for (int e = 0; e < wide; ++e)
      slices.left(place, m + e, line / wide).at[line % wide] = left.at[e];
    slices.right(place, item / (tile / wide), item % (tile / wide)) = right;
  };
  Tiles::for_patches(team, [&](const Patch& patch, int i) {
    load(patch.number, 0);
    Tiles::load(s, at, patch, own[i]);
    store(patch.number, 0);
  });
  team.team_barrier();
  const int steps = (columns.end - columns.first) / slice;
  for (int step = 0; step < steps; ++step) {
    const int now = step % 2;
    const bool more = step + 1 < steps;
    Tiles::for_patches(team, [&](const Patch& patch, int i) {
      if (more) load(patch.number, step + 1);
#pragma unroll 2
      for (int m = 0; m < slice; ++m) {
        Group factor[side / wide], from[side / wide];
        for (int e = 0; e < side; e += wide) {
          factor[e / wide] = slices.left(now, m, patch.row(e) / wide);
          from[e / wide] = slices.right(now, m, patch.col(e) / wide);
        }
        for (int r = 0; r < side; ++r) {
          for (int c = 0; c < side; ++c) {
            own[i][r][c] =
                eliminate(own[i][r][c], factor[r / wide].at[r % wide], from[c / wide].at[c % wide]);
          }
        }
      }
      if (more) store(patch.number, 1 - now);
    });
    team.team_barrier();
  }
}

/// Trailing update: each team updates one tile of `region` by the pivots in `region.columns`.
template <class Tiles, class T, class Region>
struct Product {
  using Policy = Teams<Tiles::threads, Tiles::teams>;
  using Slices = typename Tiles::template Slices<T>;
  System<T> s;
  Region region;

  Policy policy(const Space& space, int team_size) const {
    Policy result(space, region.count(), team_size, 1);
    return result.set_scratch_size(large_scratch(), Kokkos::PerTeam(Slices::bytes()));
  }
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if (s.stopped()) return;
    const auto at = region.at(team.league_rank());
    T own[Tiles::most][Tiles::side][Tiles::side];
    load_updated<Tiles>(team, s, at, region.columns, Slices(team), own);
    Tiles::for_patches(team, [&](const typename Tiles::Patch& patch, int i) {
      Tiles::store(s, at, patch, own[i]);
    });
  }
};

/// Scratch for one turn of FactorisePivot, which eliminates `turn_width` pivots. lines(buffer, 0,
/// m, i / 4) is a pack of pivot column m; lines(buffer, 1, m, j / 4) is a pack of pivot row m.
template <class T>
inline constexpr int turn_width = 32 / sizeof(T);
template <int tile, class T>
using TurnLines = Scratch<Pack<T>[2][2][turn_width<T>][tile / 4]>;

/// The diagonal block of a turn's pivots. Each thread factorises its own copy in registers.
template <class T>
struct Square {
  static constexpr int width = turn_width<T>;
  T at[width][width];
  T inverse[width];

  /// A division contains branches, which prevent instruction-level overlap. Therefore the thread
  /// first computes reciprocals without division. If any of these reciprocals is inexact, it
  /// repeats the factorisation with divisions.
  template <class Lines>
  KOKKOS_INLINE_FUNCTION Square(const Lines& lines, int place, int p) {
    load(lines, place, p);
    bool quick = true;
#pragma unroll
    for (int m = 0; m < width; ++m) {
      quick = quick && quick_reciprocal_holds(at[m][m]);
      factorise_column(m, quick_reciprocal(at[m][m]));
    }
    if (quick) return;
    load(lines, place, p);
#pragma unroll
    for (int m = 0; m < width; ++m) factorise_column(m, reciprocal(at[m][m]));
  }
  template <class Lines>
  KOKKOS_INLINE_FUNCTION void load(const Lines& lines, int place, int p) {
    for (int m = 0; m < width; ++m) {
      for (int e = 0; e < width; e += 4) {
        const Pack<T> some = lines(place, 0, m, (p + e) / 4);
        for (int i = 0; i < 4; ++i) at[e + i][m] = some.at[i];
      }
    }
  }
  KOKKOS_INLINE_FUNCTION void factorise_column(int m, T of_pivot) {
    inverse[m] = of_pivot;
#pragma unroll
    for (int r = m + 1; r < width; ++r) {
      at[r][m] *= of_pivot;
#pragma unroll
      for (int c = m + 1; c < width; ++c) at[r][c] = eliminate(at[r][c], at[r][m], at[m][c]);
    }
  }
  /// Returns the index of the first rejected pivot, or `width` if none is rejected. `column` is the
  /// column of pivot 0.
  KOKKOS_INLINE_FUNCTION int first_bad(const System<T>& s, int column) const {
    int bad = width;
    for (int m = width - 1; m >= 0; --m) {
      if (s.refuses(column + m, at[m][m])) bad = m;
    }
    return bad;
  }
  /// Solves for a row of L below the diagonal block, or for a column of U to the right of it.
  KOKKOS_INLINE_FUNCTION void solve_line(bool below, T (&line)[width]) const {
#pragma unroll
    for (int m = 0; m < width; ++m) {
      if (below) line[m] *= inverse[m];
#pragma unroll
      for (int e = m + 1; e < width; ++e) {
        line[e] = eliminate(line[e], line[m], below ? at[m][e] : at[e][m]);
      }
    }
  }
};

/// Factorises the pivot tile (k, k), `turn_width` pivots per turn. In each turn, the threads that
/// own the pivot columns and rows store them to scratch. Then each thread factorises its own copy
/// of the diagonal block, because that takes less time than a barrier, and solves for one row of L
/// or column of U. Then all threads update their patches. If `has_before` is true, the team first
/// updates the tile by the pivots in `before`.
template <class Tiles, class T, class Columns>
struct FactorisePivot {
  using Policy = Teams<Tiles::threads, 1>;
  using Patch = typename Tiles::Patch;
  using Slices = typename Tiles::template Slices<T>;
  static constexpr int tile = Tiles::tile, side = Tiles::side, width = turn_width<T>;
  using Lines = TurnLines<tile, T>;
  using Bad = Scratch<int[2]>;
  struct At {
    int row, col;
  };
  System<T> s;
  int k;
  Columns before;
  bool has_before;

  Policy policy(const Space& space, int team_size) const {
    Policy result(space, 1, team_size, 1);
    return result.set_scratch_size(large_scratch(),
                                   Kokkos::PerTeam(Lines::shmem_size() + Bad::shmem_size() +
                                                   (has_before ? Slices::bytes() : 0)));
  }
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if (s.stopped()) return;
    const Lines lines(team.team_scratch(large_scratch()));
    const Bad bad(team.team_scratch(large_scratch()));
    const At at{k, k};
    T own[Tiles::most][side][side];
    if (has_before) {
      load_updated<Tiles>(team, s, at, before, Slices(team), own);
    } else {
      Tiles::for_patches(team,
                         [&](const Patch& patch, int i) { Tiles::load(s, at, patch, own[i]); });
    }
    for (int p = 0; p < tile; p += width) {
      const int place = p / width % 2;
      Tiles::for_patches(
          team, [&](const Patch& patch, int i) { publish(own[i], patch, p, lines, place); });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, 2 * tile), [&](int line) {
        solve_line(line < tile, line % tile, p, lines, bad, place);
      });
      team.team_barrier();
      if (bad(place) < width) {
        s.note(team, k * tile + p + bad(place));
        return;
      }
      Tiles::for_patches(team, [&](const Patch& patch, int i) {
        update_patch(own[i], patch, p + width, lines, place);
      });
    }
  }

  /// Stores to scratch the patch's elements in the turn's pivot columns and rows.
  KOKKOS_FUNCTION static void publish(const T (&own)[side][side], const Patch& patch, int p,
                                      const Lines& lines, int place) {
    for (int h = 0; h < side; h += 4) {
      for (int g = 0; g < side; g += 4) {
        const int row = patch.row(h), col = patch.col(g);
        if (col >= p && col < p + width && row >= p) {
          for (int c = 0; c < 4; ++c) {
            lines(place, 0, col + c - p, row / 4) =
                Pack<T>{{own[h][g + c], own[h + 1][g + c], own[h + 2][g + c], own[h + 3][g + c]}};
          }
        }
        if (row >= p && row < p + width && col >= p + width) {
          for (int r = 0; r < 4; ++r) {
            lines(place, 1, row + r - p, col / 4) =
                Pack<T>{{own[h + r][g], own[h + r][g + 1], own[h + r][g + 2], own[h + r][g + 3]}};
          }
        }
      }
    }
  }
  /// Solves for line `at`: a row of L if `below` is true, otherwise a column of U. Stores the line
  /// to scratch and to global memory. The thread of the last line also stores the diagonal block
  /// and the index of its first rejected pivot.
  KOKKOS_FUNCTION void solve_line(bool below, int at, int p, const Lines& lines, const Bad& bad,
                                  int place) const {
    const bool open = at >= p + width, last = at == tile - 1;
    if (!open && !last) return;
    const Square<T> square(lines, place, p);
    const int first = k * tile + p, own = k * tile + at;
    if (open) {
      T line[width];
      for (int e = 0; e < width; ++e) line[e] = lines(place, !below, e, at / 4).at[at % 4];
      if (below) {
        square.solve_line(true, line);
        for (int e = 0; e < width; e += 4) {
          s.packs(own, (first + e) / 4) = Pack<T>{{line[e], line[e + 1], line[e + 2], line[e + 3]}};
        }
      } else {
        square.solve_line(false, line);
        for (int e = 0; e < width; ++e) s.a(first + e, own) = line[e];
      }
      for (int e = 0; e < width; ++e) lines(place, !below, e, at / 4).at[at % 4] = line[e];
    }
    if (last && below) bad(place) = square.first_bad(s, first);
    if (last && !below) {
      for (int r = 0; r < width; ++r) {
        for (int c = 0; c < width; ++c) s.a(first + r, first + c) = square.at[r][c];
      }
    }
  }
  /// Updates the patch by the turn's pivots, from group (h, g) to its end.
  template <int h, int g>
  KOKKOS_FUNCTION static void update(T (&own)[side][side], const Patch& patch, const Lines& lines,
                                     int place) {
#pragma unroll
    for (int m = 0; m < width; ++m) {
      Pack<T> factor[side / 4], from[side / 4];
      for (int r = h; r < side; r += 4) factor[r / 4] = lines(place, 0, m, patch.row(r) / 4);
      for (int c = g; c < side; c += 4) from[c / 4] = lines(place, 1, m, patch.col(c) / 4);
      for (int r = h; r < side; ++r) {
        for (int c = g; c < side; ++c) {
          own[r][c] = eliminate(own[r][c], factor[r / 4].at[r % 4], from[c / 4].at[c % 4]);
        }
      }
    }
  }
  /// All threads of a warp update the same groups: every group that at least one of the warp's
  /// patches needs. The warp therefore does not diverge. Updates of finished lines are harmless,
  /// because no thread reads those elements again.
  KOKKOS_FUNCTION static void update_patch(T (&own)[side][side], const Patch& patch, int end,
                                           const Lines& lines, int place) {
    constexpr int last = side - 4;
    if (patch.last_row(last) < end || patch.last_col(last) < end) return;
    const bool all_rows = patch.last_row(0) >= end, all_cols = patch.last_col(0) >= end;
    if (all_rows && all_cols) {
      update<0, 0>(own, patch, lines, place);
    } else if (all_rows) {
      update<0, last>(own, patch, lines, place);
    } else if (all_cols) {
      update<last, 0>(own, patch, lines, place);
    } else {
      update<last, last>(own, patch, lines, place);
    }
  }
};

/// Solves for the tiles of `region`, to the right of and below the factorised tile (k, k). Each
/// team processes 32 lines of a tile: columns of U or rows of L. Each thread keeps one chunk (16
/// elements) of one line in registers. For each chunk in order, the threads that own the chunk
/// solve for it; then the threads that own later chunks update them. Each update reads one 16 x 16
/// block of the factorised tile.
template <int tile, class T, class Region>
struct SolveCross {
  static constexpr int lines = 32, chunk = 16, chunks = tile / chunk, parts = tile / lines;
  static constexpr int threads = lines * chunks, most = most_own<threads>;
  using Policy = Teams<threads, 1>;
  using Blocks = Scratch<Pack<T>[chunks][chunk][chunk / 4]>;
  using Known = Scratch<T[chunk][lines]>;
  using Inverse = Scratch<T[tile]>;
  System<T> s;
  Region region;
  int k;

  Policy policy(const Space& space, int team_size) const {
    Policy result(space, region.count() * parts, team_size, 1);
    return result.set_scratch_size(
        0, Kokkos::PerTeam(Blocks::shmem_size() + Known::shmem_size() + Inverse::shmem_size()));
  }
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if (s.stopped()) return;
    const Blocks blocks(team.team_scratch(0));
    const Known known(team.team_scratch(0));
    const Inverse inverse(team.team_scratch(0));
    const auto at = region.at(team.league_rank() / parts);
    const int part = team.league_rank() % parts;
    if (at.row == k) {
      solve<true>(team, at.col * tile + part * lines, blocks, known, inverse);
    } else {
      solve<false>(team, at.row * tile + part * lines, blocks, known, inverse);
    }
  }

  /// The packs that a thread prefetches from the blocks for one chunk: one pack from each of two
  /// blocks.
  struct Brought {
    Pack<T> at[2];
  };
  /// Solves for the team's lines, `first` to first + lines - 1: columns of the tiles to the right
  /// of the pivot tile, or rows of the tiles below it.
  template <bool beside>
  KOKKOS_FUNCTION void solve(const Member& team, int first, const Blocks& blocks,
                             const Known& known, const Inverse& inverse) const {
    T line[most][chunk];
    Brought brought[most];
    for_own<threads>(team, [&](int item, int i) {
      fetch<beside>(brought[i], item, 0);
      load<beside>(line[i], first + item % lines, k * tile + item / lines * chunk);
      if (!beside && item < tile) inverse(item) = reciprocal(s.a(k * tile + item, k * tile + item));
      publish<beside>(brought[i], item, 0, blocks);
    });
    team.team_barrier();
    for (int c = 0; c < chunks; ++c) {
      for_own<threads>(team, [&](int item, int i) {
        if (item / lines == c) {
          solve_chunk<beside>(line[i], c, blocks, inverse);
          for (int e = 0; e < chunk; ++e) known(e, item % lines) = line[i][e];
        }
        if (c + 1 < chunks) fetch<beside>(brought[i], item, c + 1);
      });
      if (c + 1 == chunks) break;
      team.team_barrier();
      for_own<threads>(team, [&](int item, int i) {
        if (item / lines > c) update_chunk(line[i], item, item / lines - c, blocks, known);
      });
      team.team_barrier();
      for_own<threads>(team,
                       [&](int item, int i) { publish<beside>(brought[i], item, c + 1, blocks); });
      team.team_barrier();
    }
    for_own<threads>(team, [&](int item, int i) {
      store<beside>(line[i], first + item % lines, k * tile + item / lines * chunk);
    });
  }

  /// Loads or stores the chunk of line `at` that begins at element `own`.
  template <bool beside>
  KOKKOS_FUNCTION void load(T (&line)[chunk], int at, int own) const {
    for (int e = 0; e < chunk; e += 4) {
      if constexpr (beside) {
        for (int i = 0; i < 4; ++i) line[e + i] = s.a(own + e + i, at);
      } else {
        const Pack<T> some = s.packs(at, (own + e) / 4);
        for (int i = 0; i < 4; ++i) line[e + i] = some.at[i];
      }
    }
  }
  template <bool beside>
  KOKKOS_FUNCTION void store(const T (&line)[chunk], int at, int own) const {
    for (int e = 0; e < chunk; e += 4) {
      if constexpr (beside) {
        for (int i = 0; i < 4; ++i) s.a(own + e + i, at) = line[e + i];
      } else {
        s.packs(at, (own + e) / 4) = Pack<T>{{line[e], line[e + 1], line[e + 2], line[e + 3]}};
      }
    }
  }

  /// Calls f(i, b, row, pack) for both packs of an item. Pack i is in block b; chunk c + b uses
  /// block b. Blocks for columns of U are transposed in scratch; neighbouring items then access
  /// neighbouring rows of a block, which reduces bank conflicts.
  template <bool beside, class F>
  KOKKOS_FUNCTION static void for_packs(int item, int c, const F& f) {
    constexpr int packs = chunk * chunk / 4;
    const int index = item % packs;
    const int row = beside ? index % chunk : index / 4, pack = beside ? index / chunk : index % 4;
    for (int i = 0; i < 2; ++i) {
      const int b = i * (threads / packs) + item / packs;
      if (c + b < chunks) f(i, b, row, pack);
    }
  }
  template <bool beside>
  KOKKOS_FUNCTION void fetch(Brought& to, int item, int c) const {
    for_packs<beside>(item, c, [&](int i, int b, int row, int pack) {
      const int down = beside ? c + b : c, along = beside ? c : c + b;
      to.at[i] = s.packs(k * tile + down * chunk + row, (k * tile + along * chunk) / 4 + pack);
    });
  }
  template <bool beside>
  KOKKOS_FUNCTION static void publish(const Brought& from, int item, int c, const Blocks& blocks) {
    for_packs<beside>(item, c, [&](int i, int b, int row, int pack) {
      if constexpr (beside) {
        for (int e = 0; e < 4; ++e) blocks(b, pack * 4 + e, row / 4).at[row % 4] = from.at[i].at[e];
      } else {
        blocks(b, row, pack) = from.at[i];
      }
    });
  }
  /// Solves for chunk c of a line, one element at a time. For a row of L, first multiplies element
  /// m by the reciprocal of pivot m.
  template <bool beside>
  KOKKOS_FUNCTION static void solve_chunk(T (&line)[chunk], int c, const Blocks& blocks,
                                          const Inverse& inverse) {
#pragma unroll
    for (int m = 0; m < chunk; ++m) {
      if constexpr (!beside) line[m] *= inverse(c * chunk + m);
      for (int e = (m + 1) / 4 * 4; e < chunk; e += 4) {
        const Pack<T> some = blocks(0, m, e / 4);
        for (int i = 0; i < 4; ++i) {
          if (e + i > m) line[e + i] = eliminate(line[e + i], line[m], some.at[i]);
        }
      }
    }
  }
  /// Updates a chunk of a line by the solved chunk in `known` and block b.
  KOKKOS_FUNCTION static void update_chunk(T (&line)[chunk], int item, int b, const Blocks& blocks,
                                           const Known& known) {
#pragma unroll 4
    for (int m = 0; m < chunk; ++m) {
      const T factor = known(m, item % lines);
      for (int e = 0; e < chunk; e += 4) {
        const Pack<T> some = blocks(b, m, e / 4);
        for (int i = 0; i < 4; ++i) line[e + i] = eliminate(line[e + i], factor, some.at[i]);
      }
    }
  }
};

}  // namespace portcost::gauss::book
