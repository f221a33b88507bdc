// SPDX-License-Identifier: Apache-2.0
// Matrix transposition in plain Kokkos. This header depends only on Kokkos and rule.hpp. The
// kernels from naive to diagonal follow chapter 3.4 of CUDA Fortran for Scientists and Engineers
// (Ruetsch and Fatica). README.md explains the other kernels. Each team processes one tile: its
// threads share the rows of the tile, and the lanes of a thread share the columns.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "variants/transpose/rule.hpp"

namespace portcost::transpose::book {

using Space = Kokkos::DefaultExecutionSpace;
template <int threads, int held = 0>
using Teams = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads, held>>;
using Member = Teams<256>::member_type;
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<int>>;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

/// Element (m, i, j): matrix, row, column. Rows and matrices may be padded: the pitch may exceed
/// the number of columns, and the matrix stride may exceed the number of rows.
template <class T>
using Batch = Kokkos::View<T***, Kokkos::LayoutRight, Space, Unmanaged>;
template <class T>
using Line = Kokkos::View<T*, Kokkos::LayoutRight, Space, Unmanaged>;
template <class T>
using Tile = Kokkos::View<T**, Kokkos::LayoutRight, Space::scratch_memory_space, Unmanaged>;

/// Sixteen contiguous bytes of a row. One vector instruction loads or stores them.
template <class T>
struct alignas(16) Pack {
  static constexpr int length = 16 / sizeof(T);
  T at[length];
};
/// Returns column c of a square block; each pack is a row of the block.
template <class T>
KOKKOS_INLINE_FUNCTION Pack<T> column(const Pack<T> (&square)[Pack<T>::length], int c) {
  Pack<T> result;
  for (int r = 0; r < Pack<T>::length; ++r) result.at[r] = square[r].at[c];
  return result;
}

/// Number of matrices in a batch, and the extents of each matrix.
struct Size {
  int matrices, rows, columns;
  KOKKOS_INLINE_FUNCTION bool contains(int i, int j) const { return i < rows && j < columns; }
  KOKKOS_INLINE_FUNCTION Size transposed() const { return {matrices, columns, rows}; }
};

KOKKOS_INLINE_FUNCTION constexpr int ceil_div(int a, int b) { return a / b + (a % b != 0); }
KOKKOS_INLINE_FUNCTION constexpr int least(int a, int b) { return a < b ? a : b; }

/// Number of tiles in a launch, times `threads`. Throws if the number exceeds the limit of Kokkos.
inline int launch_size(std::int64_t tiles, int threads = 1) {
  constexpr int most = std::numeric_limits<int>::max() / 2 + 1;
  if (tiles * threads > most) throw std::length_error("more tiles than a launch can hold");
  return static_cast<int>(tiles * threads);
}

/// Position of a tile: matrix, tile row and tile column.
struct Place {
  int matrix, row, column;
};
/// Numbers the tiles of each matrix: column by column if `down` is true, otherwise row by row.
template <bool down>
struct Tiles {
  int rows, columns;
  std::int64_t in(const Size& size) const { return std::int64_t{rows} * columns * size.matrices; }
  KOKKOS_INLINE_FUNCTION Place at(int rank) const {
    const int fast = down ? rows : columns, slow = down ? columns : rows;
    const int first = rank % fast, second = rank / fast % slow, matrix = rank / fast / slow;
    return down ? Place{matrix, first, second} : Place{matrix, second, first};
  }
};
/// Numbers the tiles on and above the diagonal of a `tiles` x `tiles` matrix of tiles. The triangle
/// is folded to a full rectangle: line r holds row r of the triangle, followed by a row from its
/// lower half.
struct Pairs {
  int tiles;
  KOKKOS_INLINE_FUNCTION int columns() const { return tiles | 1; }
  KOKKOS_INLINE_FUNCTION int lines() const { return (tiles + 1) / 2; }
  std::int64_t in(const Size& size) const {
    return std::int64_t{columns()} * lines() * size.matrices;
  }
  KOKKOS_INLINE_FUNCTION Place at(int rank) const {
    const int x = rank % columns(), line = rank / columns() % lines();
    const int matrix = rank / columns() / lines(), own = tiles - line, other = own - (tiles | 1);
    if (x < own) return {matrix, line, line + x};
    return {matrix, tiles + other, tiles + other + x - own};
  }
};

/// Loads or stores rows i, i + apart, ... of column j, for row indices less than `rows`. A lane
/// issues all its loads before its first store.
template <int count, class T, class View>
KOKKOS_INLINE_FUNCTION void load(T (&own)[count], const View& from, int rows, int apart, int m,
                                 int i, int j) {
  for (int k = 0; k < count; ++k) {
    if (i + k * apart < rows) own[k] = from(m, i + k * apart, j);
  }
}
template <int count, class T, class View>
KOKKOS_INLINE_FUNCTION void store(const T (&own)[count], const View& to, int rows, int apart, int m,
                                  int i, int j) {
  for (int k = 0; k < count; ++k) {
    if (i + k * apart < rows) to(m, i + k * apart, j) = own[k];
  }
}

/// naive: each lane reads along rows and writes along columns. copy: each lane also writes along
/// rows. Each lane processes `count` elements of a column of the tile.
template <bool copied, int tile_x, int tile_y, int count, class T>
void flat(const Space& space, int team_size, Batch<const T> a, Batch<T> b, Size size) {
  const Tiles<false> tiles{ceil_div(size.rows, tile_y), ceil_div(size.columns, tile_x)};
  constexpr int apart = tile_y / count;
  Kokkos::parallel_for(
      "transpose::book::flat", Teams<256>(space, launch_size(tiles.in(size)), team_size, 32),
      KOKKOS_LAMBDA(const Member& team) {
        const Place at = tiles.at(team.league_rank());
        const int i0 = at.row * tile_y, j0 = at.column * tile_x;
        const int width = least(tile_x, size.columns - j0);
        const auto to = [&](int m, int i, int j) -> T& { return copied ? b(m, i, j) : b(m, j, i); };
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, apart), [&](int ty) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, width), [&](int tx) {
            T own[count] = {};
            load(own, a, size.rows, apart, at.matrix, i0 + ty, j0 + tx);
            store(own, to, size.rows, apart, at.matrix, i0 + ty, j0 + tx);
          });
        });
      });
}

/// Loads a block of `side` x `side` elements transposed to a thread-private buffer (take_block), or
/// stores such a buffer (put_block). For full blocks the extents are compile-time constants.
template <int side, class T, class View>
KOKKOS_INLINE_FUNCTION void take_block(T (&own)[side][side], const View& from, const Size& size,
                                       int m, int i0, int j0) {
  const int rows = least(side, size.rows - i0), columns = least(side, size.columns - j0);
  const auto take = [&](int height, int width) {
    for (int i = 0; i < height; ++i) {
      for (int j = 0; j < width; ++j) own[j][i] = from(m, i0 + i, j0 + j);
    }
  };
  if (rows == side && columns == side) return take(side, side);
  take(rows, columns);
}
template <int side, class T, class View>
KOKKOS_INLINE_FUNCTION void put_block(const T (&own)[side][side], const View& to, const Size& size,
                                      int m, int i0, int j0) {
  const int rows = least(side, size.rows - i0), columns = least(side, size.columns - j0);
  const auto put = [&](int height, int width) {
    for (int i = 0; i < height; ++i) {
      for (int j = 0; j < width; ++j) to(m, i0 + i, j0 + j) = own[i][j];
    }
  };
  if (rows == side && columns == side) return put(side, side);
  put(rows, columns);
}

/// blocked (hosts): a tile has 256 x 256 elements. Each thread copies square blocks, one cache line
/// wide and high, through a private buffer, so it writes whole cache lines.
template <class T>
void blocked(const Space& space, int team_size, Batch<const T> a, Batch<T> b, Size size) {
  constexpr int side = 256, line = 64 / sizeof(T);
  const Tiles<true> tiles{ceil_div(size.rows, side), ceil_div(size.columns, side)};
  Kokkos::parallel_for(
      "transpose::book::blocked", Teams<256>(space, launch_size(tiles.in(size)), team_size, 1),
      KOKKOS_LAMBDA(const Member& team) {
        const Place at = tiles.at(team.league_rank());
        const int i0 = at.row * side, end = least(i0 + side, size.rows);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, side / line), [&](int block) {
          const int j = at.column * side + block * line;
          if (j >= size.columns) return;
          for (int i = i0; i < end; i += line) {
            T own[line][line];
            take_block(own, a, size, at.matrix, i, j);
            put_block(own, b, size.transposed(), at.matrix, j, i);
          }
        });
      });
}

/// put_rows: stores a lane's four elements to a 32 x 32 tile along rows. get_columns: loads four
/// elements of a column of the tile.
template <class T>
KOKKOS_INLINE_FUNCTION void put_rows(const Tile<T>& tile, const T (&own)[4], int ty, int tx) {
  for (int k = 0; k < 4; ++k) tile(ty + 8 * k, tx) = own[k];
}
template <class T>
KOKKOS_INLINE_FUNCTION void get_columns(T (&own)[4], const Tile<T>& tile, int ty, int tx) {
  for (int k = 0; k < 4; ++k) own[k] = tile(tx, ty + 8 * k);
}

/// coalesced_tile, padded_tile, diagonal: each team transposes a 32 x 32 tile through scratch, so
/// reads and writes are coalesced. padded_tile has pitch 33, which avoids bank conflicts. diagonal:
/// consecutive teams process the tiles of a diagonal, which avoids partition camping.
template <int pitch, bool diagonal, class T>
void tiled(const Space& space, int team_size, Batch<const T> a, Batch<T> b, Size size) {
  constexpr int side = 32, threads = 8;
  const Tiles<diagonal> tiles{ceil_div(size.rows, side), ceil_div(size.columns, side)};
  Teams<256> teams(space, launch_size(tiles.in(size)), team_size, side);
  teams.set_scratch_size(0, Kokkos::PerTeam(Tile<T>::shmem_size(side, pitch)));
  Kokkos::parallel_for(
      "transpose::book::tiled", teams, KOKKOS_LAMBDA(const Member& team) {
        const Place at = tiles.at(team.league_rank());
        const int column = diagonal ? (at.row + at.column) % tiles.columns : at.column;
        const int m = at.matrix, i0 = at.row * side, j0 = column * side;
        const Tile<T> tile(team.team_scratch(0), side, pitch);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int ty) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, side), [&](int tx) {
            T own[4] = {};
            if (j0 + tx < size.columns) load(own, a, size.rows, threads, m, i0 + ty, j0 + tx);
            put_rows(tile, own, ty, tx);
          });
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int ty) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, side), [&](int tx) {
            T own[4];
            get_columns(own, tile, ty, tx);
            if (i0 + tx < size.rows) store(own, b, size.columns, threads, m, j0 + ty, i0 + tx);
          });
        });
      });
}

/// Matrices whose rows are distributed over several GPUs: `share` rows per GPU, and `rest` rows on
/// the last GPU. The interface is that of Batch.
template <class T>
struct SplitBatch {
  Kokkos::Array<T*, 16> first;
  int matrices, share, rest, last, pitch;
  KOKKOS_INLINE_FUNCTION Batch<T> part(int gpu) const {
    return Batch<T>(first[gpu], matrices, gpu == last ? rest : share, pitch);
  }
  KOKKOS_INLINE_FUNCTION T& operator()(int m, int i, int j) const {
    return part(i / share)(m, i % share, j);
  }
};
/// Returns the offset in elements of row i of matrix m.
template <class T>
KOKKOS_INLINE_FUNCTION std::size_t before(const Batch<T>& b, int m, int i) {
  return (m * b.extent(1) + i) * b.extent(2);
}
template <class T>
KOKKOS_INLINE_FUNCTION std::size_t before(const SplitBatch<T>& b, int m, int i) {
  return before(b.part(i / b.share), m, i % b.share);
}

/// whole_sectors: tiles of 64 x 64. GPU memory is written in sectors of 32 bytes. For each row of
/// B, the team therefore shifts its 64-element segment back to the previous sector boundary; the
/// shift is the misalignment of the row in elements. To cover all shifts, the team also reads
/// `most` rows of A that the team above reads, too. `most` is the maximum misalignment. `past` is
/// the misalignment of B itself, in elements.
template <class T, int level, bool down, class From, class To>
void whole_sectors(const Space& space, int team_size, From a, To b, Size size, int past, int most) {
  constexpr int side = 64, lanes = 32, threads = 8, sector = 32 / sizeof(T);
  constexpr int rows = side + sector - 1, own_rows = ceil_div(rows, threads);
  const Tiles<down> tiles{ceil_div(size.rows + most, side), ceil_div(size.columns, side)};
  Teams<256, (sizeof(T) > 4 ? 4 : 0)> teams(space, launch_size(tiles.in(size)), team_size, lanes);
  teams.set_scratch_size(level, Kokkos::PerTeam(Tile<T>::shmem_size(side, rows | 1)));
  Kokkos::parallel_for(
      "transpose::book::whole_sectors", teams, KOKKOS_LAMBDA(const Member& team) {
        const Place at = tiles.at(team.league_rank());
        const int m = at.matrix, i0 = at.row * side - most, j0 = at.column * side;
        const int end = least(size.rows, i0 + most + side);
        const Tile<T> tile(team.team_scratch(level), side, rows | 1);  // holds the transposed tile
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int ty) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int tx) {
            T own[own_rows][2] = {};
            for (int r = 0; r < own_rows; ++r) {
              const int i = i0 + ty + r * threads;
              for (int c = 0; c < 2; ++c) {
                const int j = j0 + tx + c * lanes;
                if (i >= 0 && i < end && j < size.columns) own[r][c] = a(m, i, j);
              }
            }
            for (int r = 0; r < own_rows && ty + r * threads < rows; ++r) {
              for (int c = 0; c < 2; ++c) tile(tx + c * lanes, ty + r * threads) = own[r][c];
            }
          });
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int ty) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int tx) {
            for (int r = 0; r < side / threads && j0 + ty + r * threads < size.columns; ++r) {
              const int row = ty + r * threads, j = j0 + row;
              const int shift = static_cast<int>((past + before(b, m, j)) % sector);
              for (int c = 0; c < 2; ++c) {
                const int x = most - shift + tx + c * lanes, i = i0 + x;
                if (i >= 0 && i < size.rows) b(m, j, i) = tile(row, x);
              }
            }
          });
        });
      });
}

/// wide: tiles of 16 x 16 square blocks; a block has 16 bytes per row and as many rows as a row has
/// elements. Each lane transposes one block in registers. An XOR swizzle permutes the packs of each
/// row in scratch, so the accesses of eight lanes have no bank conflicts.
template <class T>
void wide(const Space& space, int team_size, Batch<const Pack<T>> a, Batch<Pack<T>> b, Size size) {
  constexpr int length = Pack<T>::length, packs = 16, side = packs * length;
  const Tiles<sizeof(T) == 4> tiles{ceil_div(size.rows, side), ceil_div(size.columns, side)};
  Teams<256> teams(space, launch_size(tiles.in(size)), team_size, packs);
  teams.set_scratch_size(0, Kokkos::PerTeam(Tile<Pack<T>>::shmem_size(side, packs)));
  Kokkos::parallel_for(
      "transpose::book::wide", teams, KOKKOS_LAMBDA(const Member& team) {
        const Place at = tiles.at(team.league_rank());
        const int m = at.matrix, p0 = at.row * packs, q0 = at.column * packs;  // in packs
        const Tile<Pack<T>> tile(team.team_scratch(0), side, packs);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, packs), [&](int ty) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, packs), [&](int tx) {
            const int i = (p0 + ty) * length, q = q0 + tx;
            Pack<T> square[length] = {};
            for (int r = 0; r < length; ++r) {
              if (size.contains(i, q * length)) square[r] = a(m, i + r, q);
            }
            for (int c = 0; c < length; ++c) tile(tx * length + c, ty ^ tx) = column(square, c);
          });
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, packs), [&](int ty) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, packs), [&](int tx) {
            for (int k = 0; k < length; ++k) {
              const int row = ty + k * packs, j = q0 * length + row, p = p0 + tx;
              if (size.contains(p * length, j)) b(m, j, p) = tile(row, tx ^ (row / length));
            }
          });
        });
      });
}

/// Position of a thread in a tile of 128 threads. A warp has `across` threads per row of the tile,
/// and `warps` warps are side by side.
template <int across, int warps>
struct InTile {
  static constexpr int below = 32 / across, rows = 4 / warps * below, columns = warps * across;
  int row, column;
  explicit KOKKOS_INLINE_FUNCTION InTile(int thread)
      : row(thread / 32 / warps * below + thread % 32 / across),
        column(thread / 32 % warps * across + thread % across) {}
};
using SquareInTile = InTile<2, 4>;
template <class T>
using ElementInTile = InTile<Pack<T>::length, 2>;

/// registers: uses no scratch and no barrier. Each thread of a RangePolicy loads a square block (16
/// bytes wide), transposes it in registers and stores it. 128 threads process 16 x 8 blocks.
template <class T>
void registers(const Space& space, Batch<const Pack<T>> a, Batch<Pack<T>> b, Size size) {
  constexpr int length = Pack<T>::length;
  const Tiles<false> tiles{ceil_div(size.rows, length * SquareInTile::rows),
                           ceil_div(size.columns, length * SquareInTile::columns)};
  Kokkos::parallel_for(
      "transpose::book::registers", Range(space, 0, launch_size(tiles.in(size), 128)),
      KOKKOS_LAMBDA(int index) {
        const Place at = tiles.at(index / 128);
        const SquareInTile thread(index % 128);
        const int p = at.row * thread.rows + thread.row;  // in packs
        const int q = at.column * thread.columns + thread.column;
        if (!size.contains(p * length, q * length)) return;
        Pack<T> square[length];
        for (int r = 0; r < length; ++r) square[r] = a(at.matrix, p * length + r, q);
        for (int c = 0; c < length; ++c) b(at.matrix, q * length + c, p) = column(square, c);
      });
}

/// registers for rows that are not aligned to 16 bytes: each thread processes 16 bytes of a column.
template <class T>
void registers_of_elements(const Space& space, Batch<const T> a, Batch<T> b, Size size) {
  using Thread = ElementInTile<T>;
  constexpr int count = Pack<T>::length;
  const Tiles<false> tiles{ceil_div(size.rows, count * Thread::rows),
                           ceil_div(size.columns, Thread::columns)};
  Kokkos::parallel_for(
      "transpose::book::registers", Range(space, 0, launch_size(tiles.in(size), 128)),
      KOKKOS_LAMBDA(int index) {
        const Place at = tiles.at(index / 128);
        const Thread thread(index % 128);
        const int i = at.row * count * Thread::rows + thread.row;
        const int j = at.column * Thread::columns + thread.column;
        const auto to = [&](int m, int row, int column) -> T& { return b(m, column, row); };
        if (j >= size.columns) return;
        T own[count] = {};
        load(own, a, size.rows, Thread::rows, at.matrix, i, j);
        store(own, to, size.rows, Thread::rows, at.matrix, i, j);
      });
}

/// whole_matrices: each team transposes as many matrices as fit in 16 KiB; they are contiguous in
/// both batches. Rows in scratch are padded to an odd length, which avoids bank conflicts.
template <class T>
void whole_matrices(const Space& space, int team_size, Line<const T> a, Line<T> b, Size size) {
  constexpr int most = (16 << 10) / sizeof(T), threads = 256, count = most / threads;
  const int rows = size.rows, columns = size.columns, pitch = columns | 1;
  const int together = most / (rows * columns), stretch = together * rows * columns;
  const SmallDivisor by_rows(rows), by_columns(columns);
  Teams<threads, 5> teams(space, ceil_div(size.matrices, together), team_size, 32);
  teams.set_scratch_size(0, Kokkos::PerTeam(Tile<T>::shmem_size(together * rows, pitch)));
  Kokkos::parallel_for(
      "transpose::book::whole_matrices", teams, KOKKOS_LAMBDA(const Member& team) {
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * stretch;
        const int end = a.extent(0) - first < static_cast<std::size_t>(stretch)
                            ? static_cast<int>(a.extent(0) - first)
                            : stretch;
        const Tile<T> tile(team.team_scratch(0), together * rows, pitch);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, threads), [&](int thread) {
          T own[count] = {};
          for (int k = 0; k < count; ++k) {
            const int at = thread + k * threads;
            if (at < end) own[k] = a(first + at);
          }
          for (int k = 0; k < count && thread + k * threads < end; ++k) {
            const int at = thread + k * threads, line = by_columns(at);
            tile(line, at - line * columns) = own[k];
          }
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 0, threads), [&](int thread) {
          for (int k = 0; k < count && thread + k * threads < end; ++k) {
            const int at = thread + k * threads, line = by_rows(at), i = at - line * rows;
            const int m = by_columns(line), j = line - m * columns;
            b(first + at) = tile(m * rows + i, j);
          }
        });
      });
}

/// in_place: transposes a square matrix in place. Each team exchanges two 32 x 32 tiles, mirrored
/// at the diagonal, through scratch. A tile on the diagonal is its own mirror tile.
template <class T>
void in_place(const Space& space, int team_size, Batch<T> a, Size size) {
  constexpr int side = 32, pitch = side + 1, threads = 8;
  const Pairs pairs{ceil_div(size.columns, side)};
  Teams<256> teams(space, launch_size(pairs.in(size)), team_size, side);
  teams.set_scratch_size(0, Kokkos::PerTeam(2 * Tile<T>::shmem_size(side, pitch)));
  Kokkos::parallel_for(
      "transpose::book::in_place", teams, KOKKOS_LAMBDA(const Member& team) {
        const Place at = pairs.at(team.league_rank());
        const int m = at.matrix, i0 = at.row * side, j0 = at.column * side, n = size.columns;
        const bool two = i0 != j0;
        const Tile<T> upper(team.team_scratch(0), side, pitch);
        const Tile<T> lower(team.team_scratch(0), side, pitch);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int ty) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, side), [&](int tx) {
            T own[4] = {}, other[4] = {};
            if (j0 + tx < n) load(own, a, n, threads, m, i0 + ty, j0 + tx);
            if (two) load(other, a, n, threads, m, j0 + ty, i0 + tx);
            put_rows(upper, own, ty, tx);
            if (two) put_rows(lower, other, ty, tx);
          });
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](int ty) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, side), [&](int tx) {
            T own[4];
            get_columns(own, upper, ty, tx);
            if (i0 + tx < n) store(own, a, n, threads, m, j0 + ty, i0 + tx);
            if (!two || j0 + tx >= n) return;
            get_columns(own, lower, ty, tx);
            store(own, a, n, threads, m, i0 + ty, j0 + tx);
          });
        });
      });
}

/// in_place on a host: exchanges the blocks of `blocked`. Each thread processes rows of blocks of a
/// tile.
template <class T>
void in_place_blocked(const Space& space, int team_size, Batch<T> a, Size size) {
  constexpr int side = 256, line = 64 / sizeof(T);
  const Pairs pairs{ceil_div(size.columns, side)};
  Kokkos::parallel_for(
      "transpose::book::in_place", Teams<256>(space, launch_size(pairs.in(size)), team_size, 1),
      KOKKOS_LAMBDA(const Member& team) {
        const Place at = pairs.at(team.league_rank());
        const int m = at.matrix, j0 = at.column * side, end = least(j0 + side, size.columns);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, side / line), [&](int block) {
          const int i = at.row * side + block * line;
          for (int j = i > j0 ? i : j0; j < end; j += line) {
            T own[line][line], other[line][line];
            take_block(own, a, size, m, i, j);
            if (i != j) {
              take_block(other, a, size, m, j, i);
              put_block(other, a, size, m, i, j);
            }
            put_block(own, a, size, m, j, i);
          }
        });
      });
}

/// in_place_registers: like in_place, but each thread exchanges a square block on or above the
/// diagonal with its mirror block in registers. A tile has 16 x 16 blocks, processed as two halves
/// side by side.
template <class T>
void in_place_registers(const Space& space, Batch<Pack<T>> a, Size size) {
  constexpr int length = Pack<T>::length, side = SquareInTile::rows;
  constexpr int parts = side / SquareInTile::columns;
  const Pairs pairs{ceil_div(size.columns, side * length)};
  Kokkos::parallel_for(
      "transpose::book::in_place_registers",
      Range(space, 0, launch_size(parts * pairs.in(size), 128)), KOKKOS_LAMBDA(int index) {
        const Place at = pairs.at(index / 128 / parts);
        const SquareInTile thread(index % 128);
        const int m = at.matrix, p = at.row * side + thread.row;  // in packs
        const int q =
            at.column * side + index / 128 % parts * SquareInTile::columns + thread.column;
        if (p > q || q * length >= size.columns) return;
        Pack<T> upper[length], lower[length];
        for (int r = 0; r < length; ++r) upper[r] = a(m, p * length + r, q);
        for (int r = 0; r < length; ++r) lower[r] = a(m, q * length + r, p);
        for (int c = 0; c < length; ++c) {
          a(m, q * length + c, p) = column(upper, c);
          a(m, p * length + c, q) = column(lower, c);
        }
      });
}

/// in_place_registers for rows that are not aligned to 16 bytes: threads exchange single elements
/// above the diagonal.
template <class T>
void in_place_registers_of_elements(const Space& space, Batch<T> a, Size size) {
  using Thread = ElementInTile<T>;
  constexpr int count = Pack<T>::length, side = count * Thread::rows;
  constexpr int parts = side / Thread::columns;
  const Pairs pairs{ceil_div(size.columns, side)};
  Kokkos::parallel_for(
      "transpose::book::in_place_registers",
      Range(space, 0, launch_size(parts * pairs.in(size), 128)), KOKKOS_LAMBDA(int index) {
        const Place at = pairs.at(index / 128 / parts);
        const Thread thread(index % 128);
        const int m = at.matrix, i = at.row * side + thread.row;
        const int j = at.column * side + index / 128 % parts * Thread::columns + thread.column;
        if (j >= size.columns) return;
        T upper[count] = {}, lower[count] = {};
        for (int k = 0; k < count && i + k * Thread::rows < j; ++k) {
          upper[k] = a(m, i + k * Thread::rows, j);
          lower[k] = a(m, j, i + k * Thread::rows);
        }
        for (int k = 0; k < count && i + k * Thread::rows < j; ++k) {
          a(m, j, i + k * Thread::rows) = upper[k];
          a(m, i + k * Thread::rows, j) = lower[k];
        }
      });
}

}  // namespace portcost::transpose::book
