// SPDX-License-Identifier: Apache-2.0
// gauss: forward elimination of n equations with n unknowns, in place and without pivoting. Plain
// C++.
//
//   for k, i > k, j > k:  a[i][j] -= a[i][k] / a[k][k] * a[k][j]
//
// (N. A. Likhoded, M. A. Poleshchuk, Bulletin of the South Ural State University, Series
// Computational Mathematics and Software Engineering 5(3), 2016, figure 4.)
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "src/contract/rung.hpp"
#include "variants/gauss/rule.hpp"
#include "variants/shared/matrix_tiles.hpp"

namespace portcost::gauss {

/// The most unknowns of a problem: a matrix of f32 then takes 68.8 GB.
inline constexpr std::int64_t most_unknowns = most_rows;

/// The equations that every variant receives: padded(n) rows of `pitch` = padded(n + 1) elements,
/// 256-byte aligned. Row i holds the coefficients of equation i and, as element n, its right side.
/// Padding is 0, except on the diagonal of a padding row, where it is the greatest element of the
/// matrix. Elimination neither changes a padding row nor changes another row by it.
///
/// On return, `a` holds U and the eliminated right sides on and above the diagonal, and below it
/// the multipliers (L, whose diagonal is 1). The paper's loop leaves neither zeros nor multipliers
/// there; the check needs the multipliers, libraries keep them, and they cost no more than zeros.
///
/// `bad_pivot` begins as -1. When a variant comes to a pivot a[k][k] that is refused
/// (is_bad_pivot), it stores k there and stops; the contents of `a` are then meaningless.
template <class T>
struct System {
  T* a;
  int n;
  std::uint32_t pitch;
  int* bad_pivot;
  T tiny;  // tiny_pivot() of the greatest element of the matrix (variants/shared/lu_rule.hpp)
  int r1;  // columns a round of block_r1: a divisor of 64, or a multiple of it

  PORTCOST_HOST_DEVICE std::uint64_t offset(int i) const {
    return std::uint64_t{static_cast<std::uint32_t>(i)} * pitch;
  }
  PORTCOST_HOST_DEVICE T* row(int i) const { return a + offset(i); }
  PORTCOST_HOST_DEVICE bool stopped() const { return *bad_pivot >= 0; }
  /// Whether `pivot`, of column k, is refused. Pivots of padding never are: an infinity in U turns
  /// them into NaN, because 0 times infinity is NaN.
  PORTCOST_HOST_DEVICE bool refuses(int k, T pivot) const {
    return k < n && is_bad_pivot(pivot, tiny);
  }
};

/// A system over processes. A tile row is `padding` rows of the matrix. Tile rows are distributed
/// cyclically: process `rank` owns tile rows rank, rank + ranks, ..., `own_tile_rows` in number.
/// `a` has room for the whole matrix and, behind it, for the own tile rows one after another, so
/// that those below a pivot follow each other. stage(k): the owner copies tile row k into the
/// matrix. broadcast(k): the owner sends tile row k to all processes.
struct Share {
  int rank, ranks, own_tile_rows;
  std::function<void(int k)> stage, broadcast;
};
template <class T>
struct SharedSystem : System<T> {
  const Share* share;
};
/// The rows in memory.
template <class T>
std::int64_t rows_of(const System<T>& s) {
  return padded(s.n);
}
template <class T>
std::int64_t rows_of(const SharedSystem<T>& s) {
  return padded(s.n) + std::int64_t{s.share->own_tile_rows} * padding;
}

// ---- Shapes. They define a step, so both sides of a pair read them here and in matrix_tiles.hpp.

/// naive: the tile that a team updates in a column's launch. On a device a thread updates
/// column_rows elements of a column, naive_warps rows apart, so that it computes the pivot's
/// reciprocal and loads the element of the pivot's row once for all of them. On a host a thread
/// updates rows; a team has several, because starting a team takes about as long as updating a row.
inline constexpr int column_rows = 4, column_tile_rows = naive_warps * column_rows;
constexpr FlatTile column_tile(Place place) {
  return place == Place::device ? FlatTile{column_tile_rows, lanes}
                                : FlatTile{16, static_cast<int>(most_rows)};
}

// block_r1, as in the paper: a flat tile lies in scratch; the multipliers and pivot rows that the
// tile only reads come from global memory.

/// panel, and the trailing update of look_ahead. In f64 an element takes two registers.
template <class T>
using PanelShape = TileShape<128, 8, 8, 8, true, 8, sizeof(T) == 4 ? 2 : 1>;
/// look_ahead: smaller tiles, for updates whose latency matters more than their rate. The smallest
/// tiles are for the update of the next pivot tile.
using SmallShape = TileShape<64, 4, 4, 16, true, 8, 2>;
using SmallestShape = TileShape<32, 2, 2, 16, true, 8, 2>;
inline constexpr int panel_tile = PanelShape<float>::tile;
/// narrow_tiles: the last narrow_rounds rounds have narrower pivot tiles; a thread factorises 4 x 4
/// elements.
using NarrowShape = TileShape<64, 4, 4, 16, true, 8, 1>;
inline constexpr int narrow_tile = NarrowShape::tile, narrow_rounds = 48;
/// delayed_updates: the last delayed_rounds rounds have narrow pivot tiles.
inline constexpr int delayed_rounds = 32;
static_assert(narrow_tile == SmallShape::tile && panel_tile == 2 * narrow_tile &&
              panel_tile == padding);

/// Factorising a tile: pivots a turn. Between turns each thread keeps its elements in registers. In
/// a turn the columns and rows of the pivots lie in scratch, and each thread with a line factorises
/// the square on the diagonal for itself, in registers, because a wait would take longer.
template <class T>
inline constexpr int turn_width = 32 / static_cast<int>(sizeof(T));

/// Scratch of one turn, in elements, double-buffered. Columns are transposed: element (row, m) of
/// the columns lies at m * tile + row, as does element (m, column) of the rows.
template <class T, int tile>
struct FactoriseScratch {
  static constexpr int width = turn_width<T>;
  static constexpr int columns = 0, rows = columns + width * tile, bad = rows + width * tile;
  static constexpr int turn = bad + 4, size = 2 * turn;  // bad: the first refused pivot, or width
  /// The buffer of the turn that begins with pivot `pivot` of the tile.
  PORTCOST_HOST_DEVICE static constexpr int of(int pivot) { return pivot / width % 2 * turn; }
};

/// Solving for a tile beside or below the pivot tile: a team has `lines` lines of the tile (columns
/// of U, rows of L); a thread has `chunk` elements of a line in registers. A chunk reads square
/// blocks of the pivot tile. Scratch holds the blocks of one chunk, and the chunk's elements of all
/// lines.
template <int tile>
struct SolveShape {
  static constexpr int lines = 32, chunk = 16, chunks = tile / chunk;
  static constexpr int parts = tile / lines;  // teams a tile
  static constexpr int items = lines * chunks, warps = items / 32;
  static constexpr int block = chunk * chunk;
  /// Blocks of the pivot tile are loaded in packs of `wide`, a pack an item, several blocks at
  /// once.
  static constexpr int wide = 4, packs = block / wide, at_once = items / packs;
  static constexpr int loads = chunks / at_once;
  static_assert(items % packs == 0 && chunks % at_once == 0);
  static constexpr int known = chunks * block;           // then the chunk's elements of all lines,
  static constexpr int inverse = known + chunk * lines;  // then the reciprocals of the pivots
  static constexpr int scratch = inverse + tile;
};

/// Hosts: a tile is one thread's work. Updates go by register blocks of host_rows by host_cols
/// elements, which are two vectors of 32 bytes wide; blocks of host_rest rows cover the remainder.
/// A tile is factorised in strips of host_cols columns.
inline constexpr int host_rows = 6, host_rest = 2;
template <class T>
inline constexpr int host_cols = cache_line / static_cast<int>(sizeof(T));

/// The columns whose pivots a launch eliminates.
struct Columns {
  int first, end;
};
struct OverColumns {
  Columns columns;
};
struct LineRange {
  int first, count;
  PORTCOST_HOST_DEVICE constexpr int at(int i) const { return first + i; }
};
/// The tiles that one launch updates by `columns`.
using Region = TileRegion<OverColumns, LineRange>;

/// The tiles of a system, and the regions that a step updates.
struct Tiles {
  int tile, rows, cols;

  constexpr Tiles(int n, int tile_)
      : tile(tile_), rows(tiles_of(n, tile_)), cols(tiles_of(n + 1, tile_)) {}
  constexpr Columns of(int k) const { return {k * tile, (k + 1) * tile}; }
  constexpr LineRange rows_from(int first) const { return {first, rows - first}; }
  constexpr LineRange cols_from(int first) const { return {first, cols - first}; }
  /// The tiles beside and below tile (k, k).
  constexpr Region cross(int k, Columns columns) const {
    return {columns, {k, 1}, cols_from(k + 1), rows_from(k + 1), {k, 1}};
  }
  /// In a round of pivot tiles first .. end - 1: the rows of the later pivot tiles and, below them,
  /// their columns, without the cross of (k, k).
  constexpr Region inner(int k, int end, Columns columns) const {
    return {columns, {k + 1, end - k - 1}, cols_from(k + 1), rows_from(end), {k + 1, end - k - 1}};
  }
  /// The trailing tiles.
  constexpr Region rest(int end, Columns columns) const {
    return {columns, rows_from(end), cols_from(end), {0, 0}, {0, 0}};
  }
};

/// Tile (k, k) as a region.
constexpr Region alone(int k, Columns columns) { return {columns, {k, 1}, {k, 1}, {0, 0}, {0, 0}}; }

/// look_ahead: the tiles that tile k, the next pivot tile, waits for, updated by `columns`: itself,
/// in tiles of SmallestShape, and the rest of its row and column, in tiles of SmallShape.
constexpr Region tile_alone(int k, Columns columns) {
  constexpr int times = panel_tile / SmallestShape::tile;
  const LineRange lines{k * times, times};
  return {columns, lines, lines, {0, 0}, {0, 0}};
}
/// The cross of `count` lines of small tiles from line `first` on, without the square that its row
/// and column share.
constexpr Region small_cross(int n, Columns columns, int first, int count) {
  const Tiles small(n, SmallShape::tile);
  const int after = first + count;
  const auto some = [&](int all) { return LineRange{first, std::clamp(all - first, 0, count)}; };
  const auto more = [&](int all) { return LineRange{after, std::max(0, all - after)}; };
  return {columns, some(small.rows), more(small.cols), more(small.rows), some(small.cols)};
}
constexpr Region cross_alone(int n, int k, Columns columns) {
  constexpr int times = panel_tile / SmallShape::tile;
  return small_cross(n, columns, k * times, times);
}

/// The trailing update in two launches, for launches without priorities: the next pivot tile is
/// factorised beside the second. The first launch is a wave, as many tiles as the device holds
/// teams, so that only the last teams of the second launch leave processors without work. Where
/// there are fewer tiles, the first launch has half of them. `all` is one rectangle.
constexpr std::array<Region, 2> in_waves(const Region& all, int wave) {
  const int tiles = all.count(), first = tiles > wave ? wave : tiles / 2;
  const int cols = std::max(all.cols.count, 1), rows = first / cols, part = first % cols;
  const LineRange row{all.rows.first + rows, part > 0 ? 1 : 0};
  const LineRange below{row.first + row.count, all.rows.count - rows - row.count};
  return {
      Region{all.columns, {all.rows.first, rows}, all.cols, row, {all.cols.first, part}},
      Region{all.columns, row, {all.cols.first + part, all.cols.count - part}, below, all.cols}};
}
/// The teams with tiles of panel_tile that a device with so many processors holds, less an eighth
/// for the update of the next tile's row and column.
template <class T>
constexpr int wave_of(int processors) {
  return std::max(1, processors * PanelShape<T>::teams * 7 / 8);
}
/// The wave beside which `others` are updated in tiles of the same size: at least half a wave.
constexpr int wave_beside(int wave, const Region& others) {
  return std::max(wave / 2, wave - others.count());
}

/// narrow_tiles: the number of wide pivot tiles, which precede the last `rounds`, narrow ones.
constexpr int wide_tiles(int n, int rounds = narrow_rounds) {
  return std::max(0, tiles_of(n, panel_tile) - rounds * narrow_tile / panel_tile);
}
/// The tiles that are updated by `columns` while the next pivot tile, a narrow one, is factorised:
/// the rest of its row and column, in small tiles; the row and column of the narrow tile after it,
/// unless a tile of panel_tile begins there; and all others, in tiles of panel_tile.
constexpr Region narrow_cross(int n, Columns columns) {
  return small_cross(n, columns, columns.end / narrow_tile, 1);
}
constexpr Region narrow_line(int n, Columns columns) {
  const Tiles tiles(n, narrow_tile);
  const int line = columns.end / narrow_tile + 1;
  if (line % (panel_tile / narrow_tile) == 0) return {columns, {}, {}, {}, {}};
  return {columns,
          {line, line < tiles.rows ? 1 : 0},
          tiles.cols_from(std::min(line, tiles.cols)),
          tiles.rows_from(std::min(line + 1, tiles.rows)),
          {line, line < tiles.cols ? 1 : 0}};
}
constexpr Region narrow_rest(int n, Columns columns) {
  const Tiles tiles(n, panel_tile);
  const int end = (columns.end + narrow_tile + panel_tile - 1) / panel_tile;
  return tiles.rest(std::min(end, tiles.rows), columns);
}

/// delayed_updates: a round factorises two tiles of panel_tile, and the tiles beside and below both
/// are updated by all their columns at once. Returns the number of tiles so factorised, which is
/// even.
constexpr int delayed_tiles(int n, int rounds = delayed_rounds) {
  return wide_tiles(n, rounds) / 2 * 2;
}
/// The columns of tiles `first` and first + 1; none where `first` is negative.
constexpr Columns columns_of_two(int first) {
  return {std::max(0, first * panel_tile), std::max(0, (first + 2) * panel_tile)};
}
/// The order of block_r1 and panel. A round eliminates r1 columns, of a part of a tile or of
/// several tiles. It factorises each pivot tile (k, k) and solves for its cross; with several tiles
/// it also updates their later rows and columns each time. The trailing update comes once a round.
/// Calls factorise(k, columns), cross(k, region), product(region).
template <class T, class Factorise, class Cross, class Product>
void rounds(const System<T>& s, int tile, int r1, const Factorise& factorise, const Cross& cross,
            const Product& product) {
  const Tiles tiles(s.n, tile);
  const int size = tiles.tile, deep = ceil_div(r1, size), part = std::min(r1, size);
  const auto unless_empty = [](const Region& region, const auto& action) {
    if (region.count() > 0) action(region);
  };
  for (int first = 0; first < tiles.rows; first += deep) {
    const int end = std::min(first + deep, tiles.rows);
    for (int k = first; k < end; ++k) {
      for (int column = k * size; column < (k + 1) * size; column += part) {
        const Columns columns{column, column + part};
        factorise(k, columns);
        unless_empty(tiles.cross(k, columns), [&](const Region& region) { cross(k, region); });
        if (end > k + 1) unless_empty(tiles.inner(k, end, columns), product);
        if (deep == 1) unless_empty(tiles.rest(k + 1, columns), product);
      }
    }
    if (deep > 1) unless_empty(tiles.rest(end, {first * size, end * size}), product);
  }
}

/// The same over processes, for panel. The owner of tile row k factorises the pivot block, solves
/// for this row and broadcasts it; then each process updates its tile rows below.
template <class T, class Factorise, class Cross, class Product>
void rounds(const SharedSystem<T>& s, int tile, int, const Factorise& factorise, const Cross& cross,
            const Product& product) {
  const Tiles tiles(s.n, tile);
  const Share& share = *s.share;
  for (int k = 0, own_pivots = 0; k < tiles.rows; ++k) {
    const Columns columns = tiles.of(k);
    const LineRange right = tiles.cols_from(k + 1), none{0, 0};
    if (k % share.ranks == share.rank) {
      share.stage(k);
      ++own_pivots;
      factorise(k, columns);
      if (right.count > 0) cross(k, Region{columns, {k, 1}, right, none, none});
    }
    share.broadcast(k);
    const LineRange below{tiles.rows + own_pivots, share.own_tile_rows - own_pivots};
    if (below.count == 0) continue;
    cross(k, Region{columns, below, {k, 1}, none, none});
    if (right.count > 0) product(Region{columns, below, right, none, none});
  }
}

/// Either, where take(k, region) does all: the pivot tile, its cross, and with k = -1 other tiles.
template <class Given, class Take>
void rounds(const Given& s, int tile, int r1, const Take& take) {
  rounds(
      s, tile, r1, [&](int k, Columns columns) { take(k, alone(k, columns)); }, take,
      [&](const Region& region) { take(-1, region); });
}

// ---- Inputs.

enum class Kind { dominant, random, hilbert, integer, file };
inline constexpr std::array<std::string_view, 4> kind_names{"dominant", "random", "hilbert",
                                                            "integer"};

/// What fixes an input: every element is a function of it.
///   dominant  random in [-1, 1) off the diagonal, n with a random sign on it
///   random    random in [-1, 1) everywhere
///   hilbert   1 / (i + j + 1), which is ill-conditioned; the diagonal has 2^-10 more in f32, 2^-26
///             in f64, so that no pivot is less
///   integer   the product of two triangular matrices of small integers (element_of_l, _of_u) whose
///             pivots are powers of two: elimination is exact in both types. All products of an
///             element have the same sign, so that two missing products do not cancel
///   file      the elements of a Matrix Market file, if the parameter `file` names one
/// The right sides are random in [-1, 1), except for `integer`, where they are part of the product.
struct Input {
  Kind kind;
  std::uint64_t seed;
  std::int64_t n;
  double ridge;
  // integer: l(i, k) = p[i] q[k] and u(k, j) = q[k] s[j], with pivots on U's diagonal
  std::vector<std::int64_t> p = {}, q = {}, s = {}, pivots = {};
  std::shared_ptr<const std::vector<double>> coefficients = {};  // file: n rows of n

  /// Element j of row i, before rounding to the problem's type; element n is the right side.
  double at(std::int64_t i, std::int64_t j) const;
  /// integer: the exact L and U.
  std::int64_t element_of_l(std::int64_t i, std::int64_t k) const;  // i > k
  std::int64_t element_of_u(std::int64_t k, std::int64_t j) const;  // j >= k
};
Input input_of(const Problem& problem);
/// Element j of row i of the padded matrix (System), whose greatest coefficient is `greatest`.
template <class T, class Element>
T padded_element(const Element& element, std::int64_t n, T greatest, std::int64_t i,
                 std::int64_t j) {
  if (i >= n) return i != j ? T(0) : greatest > 0 ? greatest : T(1);
  return j <= n ? element(i, j) : T(0);
}

inline constexpr Works<System<float>, System<double>> works;
/// Types of work of the step that `distributed` runs.
inline constexpr Works<System<float>, System<double>, SharedSystem<float>, SharedSystem<double>>
    shared_works;

/// Compares answers: bad_pivot exactly; LU bit for bit, or else within rounding bounds: for x of
/// random signs, L1 (U1 x) and L2 (U2 x) may differ by gamma_n (|L1||U1| + |L2||U2|) |x|, since
/// each product is within gamma_n |L||U| of the matrix (truth.cpp).
Disagreement compare(const Problem&, const Answer&, const Answer&, const Stream&);
/// Compares an answer with the given matrix (truth.cpp).
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::gauss
