// SPDX-License-Identifier: Apache-2.0
// All-pairs shortest paths in plain Kokkos. This header depends only on Kokkos and rule.hpp. The
// tiled kernels follow the three phases of Katz and Kider (2008): they relax the pivot tile, then
// the tiles in its row and column, then the remaining tiles. As in Lund and Smith (2010), the team
// stages slices of the tiles in scratch. If `paths` is true, the kernels also update the next-hop
// matrix.
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "variants/floyd_warshall/rule.hpp"

namespace portcost::floyd_warshall::book {

using Space = Kokkos::DefaultExecutionSpace;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <int threads, int teams = 0>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, teams>>;
using Member = Teams<256>::member_type;
inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space::memory_space>::accessible;

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

/// `a(i, j)` is the length of the shortest known path from i to j; `packs` views the same memory in
/// packs of four. If `paths` is true, `next(i, j)` is the vertex after i on that path. Missing
/// edges pad the rows and columns to a multiple of 128. `negative` is -1, or a vertex on a negative
/// cycle; once it is set, all later kernels return at once.
template <class T>
struct Graph {
  Matrix<T> a;
  Matrix<Pack<T>> packs;
  Matrix<int> next;
  Kokkos::View<int, Space, Unmanaged> negative;
  int n;

  KOKKOS_INLINE_FUNCTION void note_negative(const Member& team, int middle) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (negative() < 0) negative() = middle;
    });
  }
};

// ---- One kernel launch per vertex.

/// Relaxes element (i, j) through vertex k. It stores only if the length decreases; row k and
/// column k therefore never change.
template <bool paths, class T>
KOKKOS_INLINE_FUNCTION void relax_element(const Graph<T>& g, int i, int j, int k, T to, T from) {
  T known = g.a(i, j);
  if (!relaxes(known, to, from)) return;
  g.a(i, j) = known;
  if constexpr (paths) g.next(i, j) = g.next(i, k);
}

/// naive_2d: each team relaxes a tile of 8 x 32 elements, and each lane one element. The lane loads
/// all operands from global memory.
template <bool paths, class T>
void naive_2d(const Space& space, int team_size, const Graph<T>& g) {
  constexpr int rows = 8, cols = 32;
  const int across = (g.n + cols - 1) / cols, down = (g.n + rows - 1) / rows;
  for (int k = 0; k < g.n; ++k) {
    Kokkos::parallel_for(
        "floyd_warshall::book::naive_2d", Teams<256>(space, across * down, team_size, cols),
        KOKKOS_LAMBDA(const Member& team) {
          if (g.a(k, k) < 0) {
            if (team.league_rank() == 0) g.note_negative(team, k);
            return;
          }
          const int i0 = team.league_rank() / across * rows;
          const int j0 = team.league_rank() % across * cols;
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, i0, i0 + rows), [&](int i) {
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, j0, j0 + cols), [&](int j) {
              if (i < g.n && j < g.n) relax_element<paths>(g, i, j, k, g.a(i, k), g.a(k, j));
            });
          });
        });
  }
}

/// block_2d: each team relaxes a tile of 64 x 64 elements. Its threads share the rows, and the
/// lanes of a thread share the columns. First the team copies the tile's segments of column k and
/// row k to scratch.
template <bool paths, class T>
void block_2d(const Space& space, int team_size, const Graph<T>& g) {
  constexpr int tile = 64;
  const int tiles = (g.n + tile - 1) / tile;
  Teams<256> teams(space, tiles * tiles, team_size, 32);
  teams.set_scratch_size(0, Kokkos::PerTeam(Scratch<T[2][tile]>::shmem_size()));
  for (int k = 0; k < g.n; ++k) {
    Kokkos::parallel_for(
        "floyd_warshall::book::block_2d", teams, KOKKOS_LAMBDA(const Member& team) {
          if (g.a(k, k) < 0) {
            if (team.league_rank() == 0) g.note_negative(team, k);
            return;
          }
          const int i0 = team.league_rank() / tiles * tile, j0 = team.league_rank() % tiles * tile;
          const Scratch<T[2][tile]> lines(team.team_scratch(0));
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 2 * tile), [&](int item) {
            const int at = item % tile;
            lines(item / tile, at) = item < tile ? g.a(i0 + at, k) : g.a(k, j0 + at);
          });
          team.team_barrier();
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, tile), [&](int r) {
            Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, tile), [&](int c) {
              relax_element<paths>(g, i0 + r, j0 + c, k, lines(0, r), lines(1, c));
            });
          });
        });
  }
}

// ---- Host kernels: the lanes of a thread process one row together.

/// Relaxes columns [first, end) of row i through vertex `middle`. The loop stores every element
/// unconditionally, so the host compiler can vectorise it.
template <bool paths, class T>
KOKKOS_INLINE_FUNCTION void relax_row(const Member& team, const Graph<T>& g, int i, int middle,
                                      int first, int end) {
  const T to = g.a(i, middle);
  const auto row = Kokkos::subview(g.a, i, Kokkos::ALL);
  const auto from = Kokkos::subview(g.a, middle, Kokkos::ALL);
  if constexpr (paths) {
    const auto next = Kokkos::subview(g.next, i, Kokkos::ALL);
    const int hop = next(middle);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, first, end), [&](int j) {
      const T over = to + from(j);
      const bool shorter = over < row(j);
      row(j) = shorter ? over : row(j);
      next(j) = shorter ? hop : next(j);
    });
  } else {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, first, end),
                         [&](int j) { row(j) = relax(row(j), to, from(j)); });
  }
}

/// naive_2d on a host: each team relaxes one row.
template <bool paths, class T>
void naive_rows(const Space& space, int team_size, const Graph<T>& g) {
  for (int k = 0; k < g.n; ++k) {
    Kokkos::parallel_for(
        "floyd_warshall::book::naive_rows", Teams<256>(space, g.n, team_size, 1),
        KOKKOS_LAMBDA(const Member& team) {
          const int row = team.league_rank();
          if (g.a(k, k) < 0) {
            if (row == 0) g.note_negative(team, k);
            return;
          }
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, row, row + 1), [&](int i) {
            if (i != k) relax_row<paths>(team, g, i, k, 0, g.n);
          });
        });
  }
}

/// Relaxes a tile through the vertices [first, first + tile), one vertex at a time. The threads of
/// the team share the rows of the tile.
template <bool paths, class T>
KOKKOS_INLINE_FUNCTION void relax_tile(const Member& team, const Graph<T>& g, int i0, int j0,
                                       int first, int tile) {
  for (int middle = first; middle < first + tile; ++middle) {
    if (g.a(middle, middle) < 0) {
      g.note_negative(team, middle);
      continue;
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, i0, i0 + tile), [&](int i) {
      if (i != middle) relax_row<paths>(team, g, i, middle, j0, j0 + tile);
    });
    team.team_barrier();
  }
}

/// Phase 1 on a host: relaxes the pivot tile (k, k) through its own vertices.
template <bool paths, class T>
void close_rows(const Space& space, int team_size, const Graph<T>& g, int k, int tile) {
  Kokkos::parallel_for(
      "floyd_warshall::book::close_rows", Teams<256>(space, 1, team_size, 1),
      KOKKOS_LAMBDA(const Member& team) {
        if (g.negative() >= 0) return;
        team.team_barrier();  // all threads read `negative` before any writes it
        relax_tile<paths>(team, g, k * tile, k * tile, k * tile, tile);
      });
}

/// block_3d on a host: each team relaxes one tile of `region` through the vertices of tile
/// `region.k`. In the pivot tile's row, the rows of a tile depend on each other, so the team needs
/// barriers; in all other tiles the rows are independent.
template <bool paths, class T, class Region>
void product_rows(const Space& space, int team_size, const Graph<T>& g, const Region& region,
                  int tile) {
  Kokkos::parallel_for(
      "floyd_warshall::book::product_rows", Teams<256>(space, region.count(), team_size, 1),
      KOKKOS_LAMBDA(const Member& team) {
        if (g.negative() >= 0) return;
        const auto at = region.at(team.league_rank());
        const int i0 = at.row * tile, j0 = at.col * tile, first = region.k * tile;
        if (at.row == region.k) {
          relax_tile<paths>(team, g, i0, j0, first, tile);
          return;
        }
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, i0, i0 + tile), [&](int i) {
          for (int middle = first; middle < first + tile; ++middle) {
            relax_row<paths>(team, g, i, middle, j0, j0 + tile);
          }
        });
      });
}

/// A strip of columns. Each row of a strip fills one cache line.
inline constexpr int strip_cols = 16;
template <class T>
using Strip = Scratch<PackOf<T, strip_cols>*>;

/// Relaxes a block of `rows` x `strip_cols` elements at (i, j) through the 128 vertices of the tile
/// that begins at vertex `first`.
template <bool paths, int rows, class T>
KOKKOS_INLINE_FUNCTION void relax_block(const Member& team, const Graph<T>& g,
                                        const Strip<T>& strip, int i, int j, int first) {
  constexpr int tile = 128, cols = strip_cols;
  T best[rows][cols];
  int middle[rows][cols];
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      best[r][c] = g.a(i + r, j + c);
      if constexpr (paths) middle[r][c] = -1;
    }
  }
  for (int k = 0; k < tile; ++k) {
    T to[rows];
    for (int r = 0; r < rows; ++r) to[r] = g.a(i + r, first + k);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, cols), [&](int c) {
      const T from = strip(k).at[c];
      for (int r = 0; r < rows; ++r) {
        if constexpr (paths) {
          const T over = to[r] + from;
          const bool shorter = over < best[r][c];
          best[r][c] = shorter ? over : best[r][c];
          middle[r][c] = shorter ? k : middle[r][c];
        } else {
          best[r][c] = relax(best[r][c], to[r], from);
        }
      }
    });
  }
  for (int r = 0; r < rows; ++r) {
    if constexpr (paths) {
      int hops[cols];
      for (int c = 0; c < cols; ++c) {
        hops[c] = middle[r][c] < 0 ? g.next(i + r, j + c) : g.next(i + r, first + middle[r][c]);
      }
      for (int c = 0; c < cols; ++c) g.next(i + r, j + c) = hops[c];
    }
    for (int c = 0; c < cols; ++c) g.a(i + r, j + c) = best[r][c];
  }
}

/// register_tile on a host: each team relaxes a tile of 128 x 128 elements in strips of 16 columns.
/// Each thread keeps a block of the strip in registers: four rows, or two rows if `paths` is true.
/// The team copies the corresponding strip of the right tile to scratch, where its rows are
/// contiguous.
template <bool paths, class T, class Region>
void product_blocks(const Space& space, int team_size, const Graph<T>& g, const Region& region) {
  constexpr int tile = 128, rows = paths ? 2 : 4, cols = strip_cols;
  Teams<256> teams(space, region.count(), team_size, 1);
  teams.set_scratch_size(0, Kokkos::PerTeam(Strip<T>::shmem_size(tile)));
  Kokkos::parallel_for(
      "floyd_warshall::book::product_blocks", teams, KOKKOS_LAMBDA(const Member& team) {
        if (g.negative() >= 0) return;
        const auto at = region.at(team.league_rank());
        const Strip<T> strip(team.team_scratch(0), tile);
        const int end = (region.k + region.depth) * tile;
        for (int first = region.k * tile; first < end; first += tile) {
          for (int j = at.col * tile; j < (at.col + 1) * tile; j += cols) {
            Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, tile), [&](int k) {
              Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, 0, cols),
                                   [&](int c) { strip(k).at[c] = g.a(first + k, j + c); });
            });
            team.team_barrier();
            Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 0, tile / rows), [&](int block) {
              relax_block<paths, rows>(team, g, strip, at.row * tile + block * rows, j, first);
            });
            team.team_barrier();
          }
        }
      });
}

// ---- GPU kernels: each thread keeps a register tile of its team's tile.

/// Maps the threads of a team to a square tile. Thread (x, y) computes a patch of `rows` x `cols`
/// elements, made of groups of up to four consecutive elements. Within a patch the groups are
/// strided; adjacent threads own adjacent groups. A warp spans `lanes_x` threads in x. Scratch
/// holds `buffers` slices of `slice` vertices each. `teams` is the target number of resident teams
/// per multiprocessor.
template <int tile_, int rows_, int cols_, int slice_, int lanes_x, int buffers_, int teams_>
struct Tiling {
  static constexpr int tile = tile_, rows = rows_, cols = cols_, slice = slice_;
  static constexpr int buffers = buffers_, teams = teams_, wide = cols < 4 ? cols : 4;
  static constexpr int threads_x = tile / cols, threads_y = tile / rows;
  static constexpr int threads = threads_x * threads_y, packs = tile * slice / 4;
  /// Maximum number of patches per thread: one on a GPU; on a host all of them, because a host team
  /// may have only one thread.
  static constexpr int most = on_host ? threads : 1;

  struct Patch {
    int number, x, y;

    KOKKOS_INLINE_FUNCTION explicit Patch(int patch)
        : number(patch),
          x(patch / 32 % (threads_x / lanes_x) * lanes_x + patch % lanes_x),
          y(patch / 32 / (threads_x / lanes_x) * (32 / lanes_x) + patch % 32 / lanes_x) {}
    KOKKOS_INLINE_FUNCTION int row(int r) const { return r / 4 * (threads_y * 4) + y * 4 + r % 4; }
    KOKKOS_INLINE_FUNCTION int col(int c) const {
      return c / wide * (threads_x * wide) + x * wide + c % wide;
    }
    /// Loads the patch's elements of lines(m, n) to registers: by row (of_rows) or by column
    /// (of_cols).
    template <class Lines, class T>
    KOKKOS_INLINE_FUNCTION void of_rows(const Lines& lines, int m, int n, T (&to)[rows]) const {
      for (int r = 0; r < rows; r += 4) {
        const Pack<T> some = lines(m, n, row(r) / 4);
        for (int e = 0; e < 4; ++e) to[r + e] = some.at[e];
      }
    }
    template <class Lines, class T>
    KOKKOS_INLINE_FUNCTION void of_cols(const Lines& lines, int m, int n, T (&to)[cols]) const {
      for (int c = 0; c < cols; c += wide) {
        if constexpr (wide == 4) {
          const Pack<T> some = lines(m, n, col(c) / 4);
          for (int e = 0; e < 4; ++e) to[c + e] = some.at[e];
        } else {
          to[c] = lines(m, n, col(c) / 4).at[col(c) % 4];
        }
      }
    }
  };

  /// Calls f(patch, i) for each patch of this thread. The thread-to-patch mapping is fixed, so a
  /// thread can keep its data in registers across barriers.
  template <class F>
  KOKKOS_INLINE_FUNCTION static void for_patches(const Member& team, const F& f) {
    for (int i = 0; i < most; ++i) {
      const int patch = team.team_rank() + i * team.team_size();
      if (i > 0 && patch >= threads) break;
      f(Patch(patch), i);
    }
  }
};
using Block3d = Tiling<32, 4, 1, 32, 32, 1, 6>;
using Staged = Tiling<64, 4, 4, 16, 8, 1, 5>;
/// Next hops need registers as well, so patches are half as large if `paths` is true.
template <bool paths>
using RegisterTile =
    std::conditional_t<paths, Tiling<128, 4, 8, 8, 8, 2, 1>, Tiling<128, 8, 8, 8, 8, 2, 2>>;

/// A row (0) and a column (1) of the pivot tile, and the next hops of that column; all
/// double-buffered.
template <class Tiles, class T>
using Lines = Scratch<Pack<T>[2][2][Tiles::tile / 4]>;
template <class Tiles>
using Hops = Scratch<int[2][Tiles::tile]>;

/// Phase 1: relaxes the pivot tile (k, k) through its own vertices. For each vertex, the threads
/// that own its row and column store them to scratch; then all threads relax their patches. Because
/// scratch is double-buffered, one barrier per vertex suffices.
template <class Tiles, bool paths, class T>
KOKKOS_INLINE_FUNCTION void close_tile(const Member& team, const Graph<T>& g, int k,
                                       const Lines<Tiles, T>& lines, const Hops<Tiles>& hops) {
  using Patch = typename Tiles::Patch;
  constexpr int rows = Tiles::rows, cols = Tiles::cols, wide = Tiles::wide, most = Tiles::most;
  const int first = k * Tiles::tile;
  T best[most][rows][cols];
  int hop[paths ? most : 1][rows][cols];
  Tiles::for_patches(team, [&](const Patch& patch, int i) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        best[i][r][c] = g.a(first + patch.row(r), first + patch.col(c));
        if constexpr (paths) hop[i][r][c] = g.next(first + patch.row(r), first + patch.col(c));
      }
    }
  });
  for (int four = 0; four < Tiles::tile; four += 4) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {  // unrolled: constant indices keep the arrays in registers
      const int middle = four + e, place = e % 2;
      Tiles::for_patches(team, [&](const Patch& patch, int i) {
        for (int r = e; r < rows; r += 4) {
          if (patch.row(r) != middle) continue;
          for (int c = 0; c < cols; ++c) {
            lines(place, 0, patch.col(c) / 4).at[patch.col(c) % 4] = best[i][r][c];
          }
        }
        for (int c = wide == 4 ? e : 0; c < cols; c += wide) {
          if (patch.col(c) != middle) continue;
          for (int r = 0; r < rows; ++r) {
            lines(place, 1, patch.row(r) / 4).at[patch.row(r) % 4] = best[i][r][c];
            if constexpr (paths) hops(place, patch.row(r)) = hop[i][r][c];
          }
        }
      });
      team.team_barrier();
      if (lines(place, 0, middle / 4).at[e] < 0) {
        g.note_negative(team, first + middle);
        continue;
      }
      Tiles::for_patches(team, [&](const Patch& patch, int i) {
        T to[rows], from[cols];
        patch.of_cols(lines, place, 0, from);
        patch.of_rows(lines, place, 1, to);
        for (int r = 0; r < rows; ++r) {
          for (int c = 0; c < cols; ++c) {
            if constexpr (paths) {
              if (relaxes(best[i][r][c], to[r], from[c])) {
                hop[i][r][c] = hops(place, patch.row(r));
              }
            } else {
              best[i][r][c] = relax(best[i][r][c], to[r], from[c]);
            }
          }
        }
      });
    }
  }
  Tiles::for_patches(team, [&](const Patch& patch, int i) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        g.a(first + patch.row(r), first + patch.col(c)) = best[i][r][c];
        if constexpr (paths) g.next(first + patch.row(r), first + patch.col(c)) = hop[i][r][c];
      }
    }
  });
}

template <class Tiles, bool paths, class T>
struct ClosePivot {
  using Policy = Teams<Tiles::threads, 1>;
  Graph<T> g;
  int k;

  static Policy policy(const Space& space, int team_size) {
    Policy result(space, 1, team_size, 1);
    return result.set_scratch_size(
        0, Kokkos::PerTeam(Lines<Tiles, T>::shmem_size() + Hops<Tiles>::shmem_size()));
  }
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if (g.negative() >= 0) return;
    const Lines<Tiles, T> lines(team.team_scratch(0));
    const Hops<Tiles> hops(team.team_scratch(0));
    close_tile<Tiles, paths>(team, g, k, lines, hops);
  }
};

/// Slices of the left operand tile (transposed) and of the right operand tile. Each row of the left
/// slice is padded by one pack to reduce bank conflicts of the stores.
template <class Tiles, class T>
struct Slices {
  using Left = Scratch<Pack<T>[Tiles::buffers][Tiles::slice][Tiles::tile / 4 + 1]>;
  using Right = Scratch<Pack<T>[Tiles::buffers][Tiles::slice][Tiles::tile / 4]>;
  Left left;
  Right right;

  KOKKOS_INLINE_FUNCTION explicit Slices(const Member& team)
      : left(team.team_scratch(0)), right(team.team_scratch(0)) {}
  static std::size_t bytes() { return Left::shmem_size() + Right::shmem_size(); }
};

/// Relaxes tile (row, col) through the vertices of tiles k to k + depth - 1; the tile lies in the
/// remainder, or in the pivot tile's row or column. Each thread accumulates the minimum path length
/// of each element of its patch in registers. Scratch holds one slice of each operand tile; with
/// two buffers the team loads the next slice while it computes with the current slice.
template <class Tiles, bool paths, class T>
KOKKOS_INLINE_FUNCTION void take_tile(const Member& team, const Graph<T>& g, int row, int col,
                                      int k, int depth, const Slices<Tiles, T>& slices) {
  using Patch = typename Tiles::Patch;
  constexpr int tile = Tiles::tile, slice = Tiles::slice, rows = Tiles::rows, cols = Tiles::cols;
  constexpr bool pipelined = Tiles::buffers == 2;
  // With more unrolling nvcc separates the additions from the minima, which use two different
  // pipes.
  [[maybe_unused]] constexpr int unrolled = pipelined && !std::is_integral_v<T> ? 2 : slice;
  const int i0 = row * tile, j0 = col * tile, k0 = k * tile;
  T best[Tiles::most][rows][cols];
  int middle[paths ? Tiles::most : 1][rows][cols];
  // The pack of each slice that this thread copies from global memory to scratch.
  Pack<T> left, right;
  const auto load = [&](int item, int step) {
    if (item >= Tiles::packs) return;
    const int first = k0 + step * slice;
    left = g.packs(i0 + item / (slice / 4), first / 4 + item % (slice / 4));
    right = g.packs(first + item / (tile / 4), j0 / 4 + item % (tile / 4));
  };
  const auto store = [&](int item, int buffer) {
    if (item >= Tiles::packs) return;
    const int line = item / (slice / 4), m = item % (slice / 4) * 4;
    for (int e = 0; e < 4; ++e) slices.left(buffer, m + e, line / 4).at[line % 4] = left.at[e];
    slices.right(buffer, item / (tile / 4), item % (tile / 4)) = right;
  };
  Tiles::for_patches(team, [&](const Patch& patch, int i) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        best[i][r][c] = no_edge<T>;
        if constexpr (paths) middle[i][r][c] = -1;
      }
    }
    load(patch.number, 0);
    store(patch.number, 0);
  });
  team.team_barrier();
  const int steps = depth * tile / slice;
  for (int step = 0; step < steps; ++step) {
    const int now = step % Tiles::buffers, later = (step + 1) % Tiles::buffers;
    const bool more = step + 1 < steps;
    Tiles::for_patches(team, [&](const Patch& patch, int i) {
      if (pipelined && more) load(patch.number, step + 1);
#pragma unroll unrolled
      for (int m = 0; m < slice; ++m) {
        T to[rows], from[cols];
        patch.of_rows(slices.left, now, m, to);
        patch.of_cols(slices.right, now, m, from);
        for (int r = 0; r < rows; ++r) {
          for (int c = 0; c < cols; ++c) {
            if constexpr (paths) {
              if (relaxes(best[i][r][c], to[r], from[c])) middle[i][r][c] = k0 + step * slice + m;
            } else {
              best[i][r][c] = relax(best[i][r][c], to[r], from[c]);
            }
          }
        }
      }
      if (pipelined && more) store(patch.number, later);
    });
    team.team_barrier();
    if (pipelined || !more) continue;
    Tiles::for_patches(team, [&](const Patch& patch, int) {
      load(patch.number, step + 1);
      store(patch.number, 0);
    });
    team.team_barrier();
  }
  // At this point all threads have read their operands. A tile in the pivot tile's row or column is
  // also one of its own operands, so its elements may be stored only now. For the same reason a
  // barrier separates the loads of its next hops from the stores.
  if constexpr (paths) {
    Tiles::for_patches(team, [&](const Patch& patch, int n) {
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
          const int i = i0 + patch.row(r), j = j0 + patch.col(c);
          middle[n][r][c] = best[n][r][c] < g.a(i, j) ? g.next(i, middle[n][r][c]) : -1;
        }
      }
    });
    team.team_barrier();
    Tiles::for_patches(team, [&](const Patch& patch, int n) {
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
          const int i = i0 + patch.row(r), j = j0 + patch.col(c);
          if (middle[n][r][c] < 0) continue;
          g.a(i, j) = best[n][r][c];
          g.next(i, j) = middle[n][r][c];
        }
      }
    });
  } else {
    Tiles::for_patches(team, [&](const Patch& patch, int n) {
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; c += Tiles::wide) {
          const int i = i0 + patch.row(r), j = j0 + patch.col(c);
          if constexpr (Tiles::wide == 4) {
            Pack<T> known = g.packs(i, j / 4);
            bool shorter = false;
            for (int e = 0; e < 4; ++e) {
              shorter = shorter || best[n][r][c + e] < known.at[e];
              known.at[e] = lesser(known.at[e], best[n][r][c + e]);
            }
            if (shorter) g.packs(i, j / 4) = known;
          } else {
            if (best[n][r][c] < g.a(i, j)) g.a(i, j) = best[n][r][c];
          }
        }
      }
    });
  }
}

/// Each team relaxes one tile of `region` through the vertices of tiles region.k to region.k +
/// region.depth - 1.
template <class Tiles, bool paths, class T, class Region>
struct Product {
  using Policy = Teams<Tiles::threads, Tiles::teams>;
  Graph<T> g;
  Region region;

  Policy policy(const Space& space, int team_size) const {
    Policy result(space, region.count(), team_size, 1);
    return result.set_scratch_size(0, Kokkos::PerTeam(Slices<Tiles, T>::bytes()));
  }
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if (g.negative() >= 0) return;
    const auto at = region.at(team.league_rank());
    take_tile<Tiles, paths>(team, g, at.row, at.col, region.k, region.depth,
                            Slices<Tiles, T>(team));
  }
};

/// dataflow: a single persistent kernel runs all rounds. Each team takes a ticket, spins on the
/// counters in `state` of the tiles that its tile depends on, relaxes its tile, and increments the
/// counter of its tile. `Flow` (schedule.hpp) maps a ticket to a tile and to the counters that the
/// team spins on.
template <class Tiles, bool paths, class T, class Flow>
struct Dataflow {
  using Policy = Teams<Tiles::threads, Tiles::teams>;
  using Section = typename Flow::Section;
  using Task = typename Flow::Task;
  Graph<T> g;
  Flow flow;
  Kokkos::View<const Section*, Space, Unmanaged> sections;
  Kokkos::View<int*, Space, Unmanaged> state;

  static Policy policy(const Space& space, int teams, int team_size) {
    Policy result(space, teams, team_size, 1);
    return result.set_scratch_size(
        0, Kokkos::PerTeam(Slices<Tiles, T>::bytes() + Lines<Tiles, T>::shmem_size() +
                           Hops<Tiles>::shmem_size() + Scratch<Task>::shmem_size() +
                           Scratch<int>::shmem_size()));
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Slices<Tiles, T> slices(team);
    const Lines<Tiles, T> lines(team.team_scratch(0));
    const Hops<Tiles> hops(team.team_scratch(0));
    const Scratch<Task> task(team.team_scratch(0));
    const Scratch<int> section(team.team_scratch(0));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      section() = 0;
      task() = next(section());
    });
    for (;;) {
      team.team_barrier();
      const Task now = task();
      if (now.depth == 0) return;
      if (now.closes) {
        close_tile<Tiles, paths>(team, g, now.k, lines, hops);
      } else {
        take_tile<Tiles, paths>(team, g, now.at.row, now.at.col, now.k, now.depth, slices);
      }
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        count(task());
        task() = next(section());
      });
    }
  }

  /// Takes the next ticket and spins until all dependencies of its tile are satisfied. Returns
  /// Task::none() if no ticket is left or a negative cycle stops the computation. `section` is the
  /// section of the previous ticket.
  KOKKOS_FUNCTION Task next(int& section) const {
    const int ticket = Kokkos::atomic_fetch_add(&state(Flow::ticket), 1);
    while (sections(section + 1).first_ticket <= ticket) ++section;
    const Section& now = sections(section);
    if (now.region.depth == 0) return Task::none();
    const Task task = Task::of(now, ticket);
    if (!there(Flow::panel, now.panel_parts)) return Task::none();
    if (now.touches) {
      const auto awaited = flow.before(now.round, task.at);
      if (!there(awaited.place, awaited.least)) return Task::none();
    }
    Kokkos::memory_fence();  // acquire: orders the counter reads before the reads of the tiles
    return task;
  }
  KOKKOS_FUNCTION void count(const Task& task) const {
    if (task.closes && read(g.negative()) >= 0) return;
    Kokkos::memory_fence();  // release: orders the tile's stores before the counter update
    if (task.round < 0) {
      Kokkos::atomic_add(&state(Flow::panel), 1);
    } else {
      Kokkos::atomic_exchange(&state(flow.tile(task.at)), task.round + 1);
      Kokkos::atomic_add(&state(flow.row(task.round, task.at.row)), 1);
      Kokkos::atomic_add(&state(flow.col(task.round, task.at.col)), 1);
    }
  }
  /// Spins until a counter reaches `least`. Returns false if a negative cycle was found, because
  /// then no counter increases any more.
  KOKKOS_FUNCTION bool there(int place, int least) const {
    while (read(g.negative()) < 0) {
      if (read(state(place)) >= least) return true;
    }
    return false;
  }
  /// atomic_fetch_add of 0: Kokkos before 4.1 has no atomic_load.
  KOKKOS_FUNCTION static int read(int& from) { return Kokkos::atomic_fetch_add(&from, 0); }
};

}  // namespace portcost::floyd_warshall::book
