// SPDX-License-Identifier: Apache-2.0
// transpose: the transposed matrices of one or more matrices of ny rows and nx columns. Plain C++.
//
//   for m, i, j:  b[m][j][i] = a[m][i][j]
#pragma once

#include <cstdint>
#include <string_view>

#include "src/contract/rung.hpp"
#include "src/memory/place.hpp"
#include "variants/shared/matrix_tiles.hpp"
#include "variants/shared/numbers.hpp"
#include "variants/transpose/rule.hpp"

namespace portcost::transpose {

/// The most rows, columns and matrices each; indices, and indices of tiles, stay below 2^31.
inline constexpr std::int64_t most_extent = std::int64_t{1} << 30;
/// The most tiles of 32 x 32 elements in all: a launch of Kokkos has no more teams.
inline constexpr std::int64_t most_tiles = std::int64_t{1} << 30;

/// Rows times their length, unsigned and from 32 bits to 64: one instruction on a GPU.
PORTCOST_HOST_DEVICE inline std::uint64_t times(int row, int length) {
  return std::uint64_t{static_cast<std::uint32_t>(row)} * static_cast<std::uint32_t>(length);
}

/// 0 <= i < end, as one comparison. `end` is at least 0.
PORTCOST_HOST_DEVICE constexpr bool in(int i, int end) {
  return static_cast<unsigned>(i) < static_cast<unsigned>(end);
}

/// A row of a matrix, and the rows below it, `step` elements apart. A kernel that walks down its
/// rows needs two instructions a row with this; a product takes four.
template <class T>
struct RowsDown {
  T* row;
  std::int64_t step;  // elements

  PORTCOST_HOST_DEVICE void next() { row += step; }
};

/// The memory of the matrices: of ny rows and nx columns each, one after another without padding,
/// row-major; the first is 256-byte aligned. The struct holds only what a kernel needs, because a
/// processor fetches a kernel's arguments a line at a time, and a short kernel waits for each line.
template <class T>
struct Places {
  /// The order of the tiles of whole_sectors (TileOrder).
  static constexpr bool down = true;
  T* a;
  T* b;
  int nx, ny;

  PORTCOST_HOST_DEVICE std::uint64_t size() const {
    return std::uint64_t{static_cast<std::uint32_t>(nx)} * static_cast<std::uint32_t>(ny);
  }
  /// The start of row i of the given matrix, and of row j of the transposed matrix.
  PORTCOST_HOST_DEVICE T* row_of_a(int matrix, int i) const {
    return a + static_cast<std::uint32_t>(matrix) * size() + times(i, nx);
  }
  PORTCOST_HOST_DEVICE T* row_of_b(int matrix, int j) const {
    return b + static_cast<std::uint32_t>(matrix) * size() + times(j, ny);
  }
  /// The same of a copy, whose rows are the given matrix's.
  PORTCOST_HOST_DEVICE T* row_of_copy(int matrix, int i) const {
    return b + static_cast<std::uint32_t>(matrix) * size() + times(i, nx);
  }
  /// Row i - up of the given matrix from column j on, and every `by`-th row below it (`up` is
  /// separate, since times() takes no row below 0); and row j of the transposed matrix from its
  /// beginning, and every `by`-th row below it. Rows may lie outside the matrix; such rows must not
  /// be read or written.
  PORTCOST_HOST_DEVICE RowsDown<const T> rows_of_a(int matrix, int i, int up, int j, int by) const {
    return {row_of_a(matrix, i) + j - times(up, nx), std::int64_t{by} * nx};
  }
  PORTCOST_HOST_DEVICE RowsDown<T> rows_of_b(int matrix, int j, int by) const {
    return {row_of_b(matrix, j), std::int64_t{by} * ny};
  }
  PORTCOST_HOST_DEVICE int pitch_a() const { return nx; }
  /// Every row of B begins at a multiple of the greatest power of two that divides this.
  PORTCOST_HOST_DEVICE int step_b() const { return ny; }
};

/// The matrices that every variant receives, `batch` of them.
///
/// On return `b` holds the transposed matrices, of nx rows and ny columns, in the same order. Step
/// `copy` leaves the given matrices there. Step `in_place` leaves the transposed matrices in `a`
/// and sets `*answer`, which lies on the host and is `b` at first, to `a`.
template <class T>
struct Matrices : Places<T> {
  const T** answer;
  int batch;
};

/// The input: element `at` of all matrices, matrix by matrix and row by row, in [0, 1).
template <class T>
constexpr T element(std::uint64_t seed, std::uint64_t at) {
  return in_unit<T>(random_bits(seed, at));
}

/// Steps over processes: the most chunks of an exchange.
inline constexpr std::int64_t most_chunks = 64;

// ---- Shapes. They define a step, so both sides of a pair read them here.

/// copy to diagonal, and in_place: tiles of 32 x 32 elements for 32 x 8 threads, with four rows
/// each (Ruetsch and Fatica, CUDA Fortran, chapter 3.4).
inline constexpr int tile = lanes, tile_warps = 8;
inline constexpr int tile_threads = lanes * tile_warps, rows_a_thread = tile / tile_warps;
/// Elements between rows of a tile in scratch. With 32 all elements of a column are in one bank.
inline constexpr int bare_pitch = tile, padded_pitch = tile + 1;

/// copy and naive. On a host a team is one thread and has a chunk of one row.
struct FlatShape {
  int x, y;
};
PORTCOST_HOST_DEVICE constexpr FlatShape flat_shape(Place place) {
  return place == Place::device ? FlatShape{tile, tile} : FlatShape{1 << 14, 1};
}

/// diagonal: consecutive tiles of the grid lie on a diagonal of the matrix, so that neither their
/// reads nor their writes form a column of tiles. Returns the column of the tile at `fast` along
/// the first extent of the grid, which is its row, and `slow` along the other.
PORTCOST_HOST_DEVICE constexpr int diagonal_column(int fast, int slow, int columns) {
  return static_cast<int>((static_cast<unsigned>(fast) + static_cast<unsigned>(slow)) %
                          static_cast<unsigned>(columns));
}

/// The order of a matrix's tiles in a grid. Consecutive tiles along its first extent lie below each
/// other (`down`), so that teams that run together write long pieces of few rows of B; or beside
/// each other, so that they read long pieces of few rows of A.
template <bool down>
struct TileOrder {
  static constexpr int fast(int columns, int lines) { return down ? lines : columns; }
  static constexpr int slow(int columns, int lines) { return down ? columns : lines; }
  /// The tile at `fast` along the first extent and `slow` along the other.
  PORTCOST_HOST_DEVICE static constexpr Tile at(int fast, int slow) {
    return down ? Tile{fast, slow} : Tile{slow, fast};
  }
};

/// whole_sectors: tiles of 64 x 64 elements for 32 x 8 threads. Where a row of B does not begin at
/// a sector (32 bytes, the unit of writes to memory), the borders of its tiles are as many elements
/// earlier, so that a team writes whole sectors, except at a row's ends. It therefore reads up to
/// most_past() more rows of A, which the team above reads, too.
template <class T>
struct SectorShape {
  static constexpr int tile = 64, warps = 8, threads = lanes * warps;
  static constexpr int columns = tile / lanes;  // of a thread, in each of its rows of either matrix
  static constexpr int sector = 32 / static_cast<int>(sizeof(T));
  static constexpr int all_rows = tile + sector - 1;
  static constexpr int rows = ceil_div(all_rows, warps);  // of A, of a thread
  /// Of the transposed tile in scratch: odd, so that a column has no bank conflicts.
  static constexpr int pitch = all_rows | 1;
  static constexpr int elements = tile * pitch;
  /// The teams whose scratch a GPU's multiprocessor must hold; 0: the driver decides. The memory is
  /// the L1 cache's, too, and loads in flight need space there: in f64, scratch of more teams
  /// leaves too little space (README.md).
  static constexpr int at_a_time = sizeof(T) > 4 ? 2 : 0;
  /// The most elements by which rows of B begin past a sector, where `ny` is their step (step_b(),
  /// or their length): a multiple of the greatest power of two that divides both.
  PORTCOST_HOST_DEVICE static constexpr int most_past(int ny) {
    return sector - ((ny | sector) & -(ny | sector));
  }
  /// The same for the row that begins at `row`.
  PORTCOST_HOST_DEVICE static int past(const T* row) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(row) / sizeof(T) % sector);
  }
  static constexpr int lines(int ny, int step) { return ceil_div(ny + most_past(step), tile); }
};

/// wide: tiles of 64 x 64 (f32) or 32 x 32 elements (f64) for 256 threads, which load and store 16
/// bytes at once: 64 or 32 bytes of a tile a thread. A thread has square blocks, of as many rows
/// and columns as 16 bytes have elements, transposes them in registers, and stores their columns in
/// scratch as rows of the transposed tile.
template <class T>
struct WideShape {
  using Order = TileOrder<sizeof(T) == 4>;
  static constexpr int tile = sizeof(T) == 4 ? 64 : 32, warps = 8, threads = lanes * warps;
  static constexpr int pack = 16 / static_cast<int>(sizeof(T));
  static constexpr int packs = tile / pack;  // in a row
  static constexpr int blocks = packs * packs / threads;
  static constexpr int elements = tile * tile;
  /// Rows of packs that a thread loads back from scratch and stores.
  static constexpr int rows = tile * packs / threads;
  /// The place of element (row, column) of the transposed tile: packs of a row are permuted by a
  /// number that depends on the row, so that eight threads that store packs of one column, or load
  /// packs of one row, have no bank conflicts.
  PORTCOST_HOST_DEVICE static constexpr int place(int row, int column) {
    return row * tile + ((column / pack) ^ (row / pack % packs)) * pack + column % pack;
  }
  /// True where every row of both matrices begins at a multiple of 16 bytes; otherwise the step is
  /// whole_sectors.
  static constexpr bool fits(int nx, int ny) { return nx % pack == 0 && ny % pack == 0; }
};

/// bulk_copies (CUDA): a row of a tile, 256 bytes, is one copy by the engine that copies between
/// global and shared memory, both ways. 256 threads each have a square of 16 bytes by as many rows,
/// which they transpose in registers. Rows in scratch are padded by 16 bytes, and neighbouring
/// threads have squares on a diagonal: eight threads that each load or store 16 bytes of a row have
/// no bank conflicts.
template <class T>
struct BulkShape {
  using Order = typename WideShape<T>::Order;
  static constexpr int pack = WideShape<T>::pack, packs = 16, tile = packs * pack;
  static constexpr int threads = packs * packs, pitch = tile + pack, elements = tile * pitch;
  /// The start of a thread's square in the tile of A.
  PORTCOST_HOST_DEVICE static constexpr int row(int thread) {
    return (thread / packs + thread) % packs * pack;
  }
  PORTCOST_HOST_DEVICE static constexpr int column(int thread) { return thread % packs * pack; }
};

/// whole_matrices: a team of 256 threads has as many matrices, of at least one element and at most
/// 16 KiB each, as fit into 16 KiB together. They are contiguous, so that a team reads and writes
/// one chunk of memory each.
template <class T>
struct SmallMatrices {
  static constexpr int warps = 8, threads = lanes * warps;
  static constexpr int held = 5;  // teams that a multiprocessor is to hold: 48 registers a thread
  static constexpr int most = (16 << 10) / static_cast<int>(sizeof(T));  // elements of a chunk
  static constexpr int own = most / threads;                             // of a thread
  /// Elements of scratch. The pitch of rows is odd, so that a column has no bank conflicts.
  static constexpr int room = most + most / 2;
  static constexpr bool fit(std::int64_t nx, std::int64_t ny) { return nx <= most / ny; }

  explicit SmallMatrices(const Matrices<T>& s)
      : nx_(s.nx),
        ny_(s.ny),
        matrices_(most / (s.nx * s.ny)),
        batch_(s.batch),
        by_nx_(s.nx),
        by_ny_(s.ny) {}
  int teams() const { return ceil_div(batch_, matrices_); }
  /// The first element of a team's chunk, and its number of elements.
  PORTCOST_HOST_DEVICE std::uint64_t first(int team) const {
    return static_cast<std::uint64_t>(team) * static_cast<std::uint32_t>(matrices_ * nx_ * ny_);
  }
  PORTCOST_HOST_DEVICE int count(std::uint64_t first) const {
    const int one = nx_ * ny_, all = matrices_ * one;
    const std::uint64_t rest =
        std::uint64_t{static_cast<std::uint32_t>(one)} * static_cast<std::uint32_t>(batch_) - first;
    return rest < static_cast<std::uint64_t>(all) ? static_cast<int>(rest) : all;
  }
  /// The place in scratch of element `at` of the given chunk.
  PORTCOST_HOST_DEVICE int place(int at) const { return nx_ % 2 == 0 ? at + by_nx_(at) : at; }
  /// The place in scratch of the element that becomes element `at` of the transposed chunk: row i
  /// and column j of matrix m.
  PORTCOST_HOST_DEVICE int source(int at) const {
    const int line = by_ny_(at), i = at - line * ny_, m = by_nx_(line), j = line - m * nx_;
    return (m * ny_ + i) * (nx_ | 1) + j;
  }

 private:
  int nx_, ny_, matrices_, batch_;
  SmallDivisor by_nx_, by_ny_;
};

/// in_place: pairs of tiles (hosts: of groups of blocks) that are exchanged, in a square matrix of
/// `tiles` by `tiles`: the tiles on and above the diagonal, as a full grid. Line r of the grid has
/// the tiles of row r and then, to fill it, the tiles of a row further down.
struct PairGrid {
  int tiles;
  PORTCOST_HOST_DEVICE constexpr int columns() const { return tiles | 1; }
  PORTCOST_HOST_DEVICE constexpr int lines() const { return (tiles + 1) / 2; }
  PORTCOST_HOST_DEVICE constexpr Tile at(int column, int line) const {
    const int own = tiles - line, other = 2 * tiles - columns() - line;
    if (column < own) return {line, line + column};
    return {other, other + column - own};
  }
};

/// registers: squares of 16 bytes by as many rows (4 x 4 elements in f32, 2 x 2 in f64), one a
/// thread, without scratch. Neighbouring threads of a warp read 32 bytes of a row, a whole sector:
/// two squares side by side, 16 of which lie below each other, so that the warp writes 256 bytes of
/// a row of B. 128 threads, Kokkos's choice for a range of so few registers, have a tile of 16 x 8
/// squares. Where rows do not begin at 16 bytes a square is one element (pack_ = 1), a warp reads
/// 16 bytes of each row and two neighbouring warps 32, so that each store writes longer pieces of
/// rows of B. A thread then has an element in each of `items` groups of rows: as many bytes in
/// flight, and as few blocks, as with squares.
template <class T, int pack_ = 16 / static_cast<int>(sizeof(T))>
struct SquareShape {
  static constexpr int pack = pack_, threads = 128, warps = threads / lanes;
  static constexpr int across = (pack == 1 ? 16 : 32) / (pack * static_cast<int>(sizeof(T)));
  static constexpr int below = lanes / across;
  static constexpr int warps_across = pack == 1 ? 2 : warps;
  static constexpr int items = pack == 1 ? 16 / static_cast<int>(sizeof(T)) : 1;
  /// Rows between the items of a thread.
  static constexpr int stretch = warps / warps_across * below * pack;
  static constexpr int tile_rows = items * stretch;
  static constexpr int tile_columns = warps_across * across * pack;
  /// The place of a thread's first square in its tile.
  PORTCOST_HOST_DEVICE static constexpr int row(int thread) {
    return (thread / lanes / warps_across * below + thread % lanes / across) * pack;
  }
  PORTCOST_HOST_DEVICE static constexpr int column(int thread) {
    return (thread / lanes % warps_across * across + thread % across) * pack;
  }
  /// in_place_registers: square tiles, each of `parts` such tiles side by side, on and above the
  /// diagonal. Squares on or above the diagonal are exchanged with squares on the other side; the
  /// other squares of a tile on the diagonal have no work.
  static constexpr int parts = tile_rows / tile_columns;
  PORTCOST_HOST_DEVICE static constexpr PairGrid pairs(int n) { return {ceil_div(n, tile_rows)}; }
  /// True where squares of 16 bytes are whole and their rows begin at 16 bytes.
  static constexpr bool fits(int nx, int ny) { return nx % pack == 0 && ny % pack == 0; }
};

/// blocked (host): blocks as wide and as high as a cache line is long are transposed in the core's
/// own cache, vectors of 32 bytes at a time, so that lines are written whole. A thread has a group
/// of blocks: few enough rows of both matrices that their pages stay in the TLB.
template <class T>
inline constexpr int block = cache_line / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int block_elements = block<T>* block<T>;
inline constexpr int group = 256;

/// The reason why in_place refuses a problem, or an empty text.
inline std::string_view not_in_place(const Problem& p) {
  if (p.size.at("nx") == p.size.at("ny")) return {};
  return "only a square matrix can be transposed in place here: nx and ny differ";
}

/// The reason why whole_matrices refuses a problem, or an empty text.
inline std::string_view not_small(const Problem& p) {
  const bool fit = p.type == ElementType::f64
                       ? SmallMatrices<double>::fit(p.size.at("nx"), p.size.at("ny"))
                       : SmallMatrices<float>::fit(p.size.at("nx"), p.size.at("ny"));
  if (fit) return {};
  return "only matrices of at most 16 KiB are taken several at a time";
}

/// The work that a variant receives, and Algorithm::judge (truth.cpp).
inline constexpr Works<Matrices<float>, Matrices<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::transpose
