// SPDX-License-Identifier: Apache-2.0
// For algorithms that work in place on a square matrix, tile by tile, such as floyd_warshall and
// gauss: padding, the shapes of tiles, the elements of each thread, and the tiles of a launch in
// order. Plain C++; both sides of a pair read the same shapes here.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "src/memory/place.hpp"
#include "src/support/host_device.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost {

/// The most rows of a matrix: in f32 it then takes 68.7 GB.
inline constexpr std::int64_t most_rows = std::int64_t{1} << 17;

/// Rows and columns are padded to a multiple of the greatest tile, so that kernels on tiles need
/// not test for the end of the matrix.
inline constexpr int padding = 128;
constexpr std::int64_t padded(std::int64_t count) {
  return ceil_div(count, std::int64_t{padding}) * padding;
}

// ---- Shapes. They define a step.

inline constexpr int lanes = 32;

/// An element a thread, 32 x 8 threads; on a host a row a thread.
inline constexpr int naive_warps = 8;
struct FlatTile {
  int rows, cols;
};
constexpr FlatTile naive_tile(Place place) {
  return place == Place::device ? FlatTile{naive_warps, lanes}
                                : FlatTile{1, static_cast<int>(most_rows)};
}

/// Tiles of 64 x 64 elements for 256 threads; a thread has 16 elements of one column.
inline constexpr int flat_tile = 64, flat_warps = 8;
inline constexpr int flat_threads = lanes * flat_warps;
inline constexpr int flat_rows_apart = flat_threads / flat_tile;

/// Square tiles of `tile` elements a side. A thread has `rows` by `cols` elements in registers, in
/// groups of up to four neighbours. Scratch holds a slice of `slice` columns of the left tile and
/// as many rows of the right tile; with `pipelined` the next slice is prefetched. A warp is
/// `lanes_x` threads wide. A multiprocessor is to hold `teams` teams.
template <int tile_, int rows_, int cols_, int slice_, bool pipelined_, int lanes_x_, int teams_>
struct TileShape {
  static constexpr int tile = tile_, rows = rows_, cols = cols_, slice = slice_;
  static constexpr bool pipelined = pipelined_;
  static constexpr int lanes_x = lanes_x_, teams = teams_;

  static constexpr int threads_x = tile / cols;
  static constexpr int threads_y = tile / rows;
  static constexpr int threads = threads_x * threads_y;
  static constexpr int warps = threads / lanes;
  static constexpr int group_y = rows < 4 ? rows : 4;
  static constexpr int group_x = cols < 4 ? cols : 4;
  /// The position of item `item` in the team's threads, across and down.
  PORTCOST_HOST_DEVICE static constexpr int x_of(int item) {
    return item / lanes % (threads_x / lanes_x) * lanes_x + item % lanes % lanes_x;
  }
  PORTCOST_HOST_DEVICE static constexpr int y_of(int item) {
    return item / lanes / (threads_x / lanes_x) * (lanes / lanes_x) + item % lanes / lanes_x;
  }
  /// The tile's row that is row r of thread y; columns alike.
  PORTCOST_HOST_DEVICE static constexpr int row_of(int y, int r) {
    return r / group_y * (threads_y * group_y) + y * group_y + r % group_y;
  }
  PORTCOST_HOST_DEVICE static constexpr int col_of(int x, int c) {
    return c / group_x * (threads_x * group_x) + x * group_x + c % group_x;
  }
  /// Elements of a slice of one side that a thread loads at once.
  static constexpr int pack = tile * slice / threads;
  static constexpr int buffers = pipelined ? 2 : 1;
  /// The slice of the left tile is transposed. Its rows are padded by a group, so that stores to it
  /// have few bank conflicts.
  static constexpr int left_pitch = tile + 4;
  static constexpr int left_slice = slice * left_pitch;
  static constexpr int right_slice = slice * tile;
  /// Elements of scratch: for an update, and for the pivot tile (a row and a column,
  /// double-buffered).
  static constexpr int scratch = buffers * (left_slice + right_slice);
  static constexpr int close_scratch = 4 * tile;
};

/// Neighbours that one instruction loads or stores.
template <class T, int count>
struct alignas(count * sizeof(T)) Pack {
  T at[count];
};
template <int count, class T>
PORTCOST_HOST_DEVICE inline void copy_pack(T* to, const T* from) {
  *reinterpret_cast<Pack<T, count>*>(to) = *reinterpret_cast<const Pack<T, count>*>(from);
}
/// Bytes of the greatest pack of a TileShape.
template <class T>
inline constexpr int pack_bytes = 4 * static_cast<int>(sizeof(T));

/// The part of the tile rows (of `padding` rows) that the process with most of them has.
inline double tile_row_share(std::int64_t count, int ranks) {
  const std::int64_t rows = padded(count) / padding;
  return static_cast<double>(ceil_div(rows, std::int64_t{std::max(1, ranks)})) /
         static_cast<double>(rows);
}

/// Bytes of a line of a host's cache; arrays that are copied to begin at a line.
inline constexpr int cache_line = 64;

// ---- The tiles of a launch.

/// Tiles that `count` rows or columns need.
constexpr int tiles_of(int count, int tile) { return ceil_div(count, tile); }

struct Tile {
  int row, col;
};
/// The tiles of a launch: `rows` by `cols`, then `more_rows` by `more_cols`. A Range has `first`,
/// `count` and at(i), its line i of tiles. `Over`: the columns or vertices that the launch
/// eliminates or relaxes over.
template <class Over, class Range>
struct TileRegion : Over {
  Range rows, cols, more_rows, more_cols;

  PORTCOST_HOST_DEVICE constexpr int first_part() const { return rows.count * cols.count; }
  PORTCOST_HOST_DEVICE constexpr int count() const {
    return first_part() + more_rows.count * more_cols.count;
  }
  PORTCOST_HOST_DEVICE constexpr Tile at(int index) const {
    if (index < first_part()) {
      const int row = index / cols.count;
      return {rows.at(row), cols.at(index - row * cols.count)};
    }
    const int rest = index - first_part(), row = rest / more_cols.count;
    return {more_rows.at(row), more_cols.at(rest - row * more_cols.count)};
  }
};

/// floyd_warshall's look_ahead: the remainder of a round, one part of a region, in two launches,
/// because launches have no priorities. The second launch has half of the tiles, or late_tiles
/// where that is less, about two for each team that an H200 holds; the next pivot tile goes beside
/// it.
inline constexpr int late_tiles = 512;
template <class Region>
constexpr std::array<Region, 2> in_two(const Region& all) {
  const int rows = all.rows.count;
  const int late = std::min(rows / 2, ceil_div(late_tiles, std::max(all.cols.count, 1)));
  std::array<Region, 2> parts{all, all};
  parts[0].rows.count = rows - late;
  parts[1].rows.first += rows - late;
  parts[1].rows.count = late;
  return parts;
}

}  // namespace portcost
