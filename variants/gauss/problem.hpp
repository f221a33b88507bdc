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
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "src/contract/rung.hpp"
#include "src/memory/place.hpp"
#include "variants/gauss/rule.hpp"
#include "variants/numbers.hpp"

namespace portcost::gauss {

/// Unknowns that a problem may have: a matrix of f32 then takes 68.8 GB.
inline constexpr std::int64_t most_unknowns = std::int64_t{1} << 17;

/// Rows and columns are padded to a multiple of the greatest tile, so that no kernel that works on
/// tiles asks where the matrix ends. Padding is 0, but on the diagonal of a row that is added,
/// where it is the greatest element of the matrix: such a row is never changed, and changes none.
inline constexpr int padding = 128;
constexpr std::int64_t padded(std::int64_t count) {
  return ceil_div(count, std::int64_t{padding}) * padding;
}

/// The equations as every variant receives them: padded(n) rows of `pitch` = padded(n + 1)
/// elements, 256-byte aligned; row i has the coefficients of equation i and, as element n, its
/// right side.
///
/// On return a[i][j] is, on and above the diagonal, what elimination leaves (the matrix U, and the
/// right side to go on with), and below it the multiplier by which row j was taken from row i (L,
/// whose diagonal is 1). The paper's loop leaves neither zeros nor multipliers there. Multipliers
/// are kept because with them L U can be held against the matrix that was given, libraries keep
/// them, and they cost no more to write than zeros.
///
/// `bad_pivot` is at first -1. A variant writes there the first column k whose pivot a[k][k], when
/// its turn comes, is refused (is_bad_pivot), and divides by none such; what it leaves in `a` then
/// means nothing.
template <class T>
struct System {
  T* a;
  int n;
  std::uint32_t pitch;
  int* bad_pivot;
  T tiny;  // the unit roundoff times the greatest element of the matrix
  int r1;  // columns a round of block_r1: a divisor of 64, or a multiple of it

  /// Elements before row i.
  PORTCOST_HOST_DEVICE std::uint64_t offset(int i) const {
    return std::uint64_t{static_cast<std::uint32_t>(i)} * pitch;
  }
  PORTCOST_HOST_DEVICE T* row(int i) const { return a + offset(i); }
  PORTCOST_HOST_DEVICE bool stopped() const { return *bad_pivot >= 0; }
  PORTCOST_HOST_DEVICE bool refuses(T pivot) const { return is_bad_pivot(pivot, tiny); }
};

// ---- Shapes: part of the definition of a step, so both sides of a pair read them here.

inline constexpr int lanes = 32;

/// naive: an element a thread, 32 x 8 threads; on a host a row a thread.
inline constexpr int naive_warps = 8;
struct FlatTile {
  int rows, cols;
};
constexpr FlatTile naive_tile(Place place) {
  return place == Place::device ? FlatTile{naive_warps, lanes}
                                : FlatTile{1, static_cast<int>(most_unknowns)};
}

/// block_r1, as in the paper: tiles of 64 x 64 elements, here by 256 threads, of which each has 16
/// elements of one column, in scratch; multipliers and pivots' rows that a tile only reads come
/// from global memory.
inline constexpr int flat_tile = 64, flat_warps = 8;
inline constexpr int flat_threads = lanes * flat_warps;
inline constexpr int flat_rows_apart = flat_threads / flat_tile;

/// Products of tiles: square tiles of `tile` elements, of which a thread has `rows` by `cols` in
/// registers, in groups of up to four neighbours. A slice of `slice` columns of multipliers and as
/// many rows of U lies in scratch, twice: the next is on its way meanwhile. A warp is `lanes_x`
/// threads wide. `teams` is how many teams a multiprocessor is to hold.
template <int tile_, int rows_, int cols_, int slice_, int lanes_x_, int teams_>
struct Shape {
  static constexpr int tile = tile_, rows = rows_, cols = cols_, slice = slice_;
  static constexpr int lanes_x = lanes_x_, teams = teams_;

  static constexpr int threads_x = tile / cols;
  static constexpr int threads_y = tile / rows;
  static constexpr int threads = threads_x * threads_y;
  static constexpr int warps = threads / lanes;
  static constexpr int group_y = rows < 4 ? rows : 4;
  static constexpr int group_x = cols < 4 ? cols : 4;
  /// Which of the team's threads, across and down, item `item` is.
  PORTCOST_HOST_DEVICE static constexpr int x_of(int item) {
    return item / lanes % (threads_x / lanes_x) * lanes_x + item % lanes % lanes_x;
  }
  PORTCOST_HOST_DEVICE static constexpr int y_of(int item) {
    return item / lanes / (threads_x / lanes_x) * (lanes / lanes_x) + item % lanes / lanes_x;
  }
  /// The row of the tile in which the r-th row of thread y lies; columns alike.
  PORTCOST_HOST_DEVICE static constexpr int row_of(int y, int r) {
    return r / group_y * (threads_y * group_y) + y * group_y + r % group_y;
  }
  PORTCOST_HOST_DEVICE static constexpr int col_of(int x, int c) {
    return c / group_x * (threads_x * group_x) + x * group_x + c % group_x;
  }
  /// Elements of a slice of one side that a thread loads, as one.
  static constexpr int pack = tile * slice / threads;
  /// The slice of multipliers lies transposed, its rows a group further apart, so that threads meet
  /// in few banks when they store it.
  static constexpr int left_pitch = tile + 4;
  static constexpr int left_slice = slice * left_pitch;
  static constexpr int right_slice = slice * tile;
  /// Elements of scratch: of a product, and of closing a tile (a pivot's row, and multipliers,
  /// twice).
  static constexpr int scratch = 2 * (left_slice + right_slice);
  static constexpr int close_scratch = 4 * tile;
};
/// panel, and the rest of look_ahead. In f64 an element takes two registers.
template <class T>
using PanelShape = Shape<128, 8, 8, 8, 8, sizeof(T) == 4 ? 2 : 1>;
/// look_ahead: a smaller tile, where what waits for it matters more than its rate.
using SmallShape = Shape<64, 4, 4, 16, 8, 2>;
/// The tile whose columns are eliminated together.
inline constexpr int panel_tile = PanelShape<float>::tile;

/// Solving for a tile beside or below the closed one: a line (a column of U, a row of L) a thread,
/// `chunk` of its elements at a time in registers; the coefficients of a chunk lie in scratch.
inline constexpr int solve_chunk = 32, solve_pitch = solve_chunk + 4;
inline constexpr int solve_warps = panel_tile / lanes, solve_scratch = panel_tile * solve_pitch;

/// Neighbours that are loaded and stored as one.
template <class T, int count>
struct alignas(count * sizeof(T)) Pack {
  T at[count];
};

/// Hosts: a tile is one thread's work. Products go by register blocks of host_rows by host_cols
/// elements, two vectors of 32 bytes wide (host_rest rows where no more are left); a tile is closed
/// in strips of host_cols columns.
inline constexpr int host_rows = 6, host_rest = 2, cache_line = 64;
template <class T>
inline constexpr int host_cols = cache_line / static_cast<int>(sizeof(T));

/// The elements of a row in one strip of columns, as two vectors. Loops over an array in its place
/// end up in memory: g++ 12 then does products at half the rate. For both sides of a pair.
template <class T>
struct Strip {
  static constexpr int wide = host_cols<T>, half = wide / 2;
#if defined(__GNUC__) && !defined(__CUDACC__)
  typedef T Vector __attribute__((vector_size(cache_line / 2), aligned(sizeof(T)), may_alias));
#else
  struct Vector {
    T at[half];
    T& operator[](int i) { return at[i]; }
    T operator[](int i) const { return at[i]; }
  };
#endif

  static Strip load(const T* from) {
    return {*reinterpret_cast<const Vector*>(from), *reinterpret_cast<const Vector*>(from + half)};
  }
  void store(T* to) const {
    *reinterpret_cast<Vector*>(to) = first;
    *reinterpret_cast<Vector*>(to + half) = second;
  }
  T at(int c) const { return c < half ? first[c] : second[c - half]; }
  void set(int c, T value) {
    if (c < half) {
      first[c] = value;
    } else {
      second[c - half] = value;
    }
  }
  /// As eliminate() (rule.hpp) does with each. Where there is a fused multiply-add the compiler
  /// takes it, so that answers are those of other variants to the bit.
  void eliminate(T times, const Strip& from) {
    take(first, times, from.first);
    take(second, times, from.second);
  }

  Vector first, second;

 private:
  static void take(Vector& element, T times, const Vector& from) {
#if defined(__GNUC__) && !defined(__CUDACC__)
    element = element - times * from;
#else
    for (int c = 0; c < half; ++c) element[c] = gauss::eliminate(element[c], times, from[c]);
#endif
  }
};

/// Tiles that `count` rows or columns need.
constexpr int tiles_of(int count, int tile) { return ceil_div(count, tile); }

struct Tile {
  int row, col;
};
/// Columns whose elimination a launch takes part in.
struct Columns {
  int first, end;
};
/// Tiles of one launch over `columns`: those of `rows` and `cols`, then those of `more_rows` and
/// `more_cols`.
struct Region {
  struct Range {
    int first, count;
  };
  Columns columns;
  Range rows, cols, more_rows, more_cols;

  PORTCOST_HOST_DEVICE constexpr int first_part() const { return rows.count * cols.count; }
  PORTCOST_HOST_DEVICE constexpr int count() const {
    return first_part() + more_rows.count * more_cols.count;
  }
  PORTCOST_HOST_DEVICE constexpr Tile at(int index) const {
    if (index < first_part()) {
      const int row = index / cols.count;
      return {rows.first + row, cols.first + index - row * cols.count};
    }
    const int rest = index - first_part(), row = rest / more_cols.count;
    return {more_rows.first + row, more_cols.first + rest - row * more_cols.count};
  }
};

/// The tiles of a system, and the regions in which a step takes them.
struct Tiles {
  int tile, rows, cols;

  constexpr Tiles(int n, int tile_)
      : tile(tile_), rows(tiles_of(n, tile_)), cols(tiles_of(n + 1, tile_)) {}
  constexpr Columns of(int k) const { return {k * tile, (k + 1) * tile}; }
  constexpr Region::Range rows_from(int first) const { return {first, rows - first}; }
  constexpr Region::Range cols_from(int first) const { return {first, cols - first}; }
  /// Beside and below tile (k, k).
  constexpr Region cross(int k, Columns columns) const {
    return {columns, {k, 1}, cols_from(k + 1), rows_from(k + 1), {k, 1}};
  }
  /// Of a round of tiles first .. end - 1 what is not in the cross of (k, k): the rows of its later
  /// tiles, and below them their columns.
  constexpr Region inner(int k, int end, Columns columns) const {
    return {columns, {k + 1, end - k - 1}, cols_from(k + 1), rows_from(end), {k + 1, end - k - 1}};
  }
  /// All tiles below and beside both.
  constexpr Region rest(int end, Columns columns) const {
    return {columns, rows_from(end), cols_from(end), {0, 0}, {0, 0}};
  }
};

/// look_ahead: of what lies outside the cross of tile k the rows and columns of the next one, in
/// tiles of SmallShape; all others (Tiles::rest(k + 2)) in two launches, because launches have no
/// priorities: the second has half of the tiles, or late_tiles where that is less, which is about
/// two for each team that an H200 holds. The next tile is closed beside it.
inline constexpr int late_tiles = 512;
constexpr Region next_cross(int n, int k) {
  constexpr int times = panel_tile / SmallShape::tile;
  const Tiles small(n, SmallShape::tile);
  const int first = (k + 1) * times, after = first + times;
  const auto some = [&](int all) { return Region::Range{first, std::min(times, all - first)}; };
  const auto more = [&](int all) { return Region::Range{after, std::max(0, all - after)}; };
  return {{k * panel_tile, first * SmallShape::tile},
          some(small.rows),
          small.cols_from(first),
          more(small.rows),
          some(small.cols)};
}
constexpr std::array<Region, 2> rest_in_two(const Tiles& tiles, int k) {
  Region first = tiles.rest(std::min(k + 2, tiles.rows), tiles.of(k)), second = first;
  const int rows = first.rows.count, cols = std::max(first.cols.count, 1);
  const int late = std::min(rows / 2, ceil_div(late_tiles, cols));
  first.rows.count = rows - late;
  second.rows = {second.rows.first + rows - late, late};
  return {first, second};
}

/// The order of block_r1 and panel. A round eliminates r1 columns, of a part of a tile or of
/// several tiles: it closes each tile (k, k) over its columns and takes its cross, which with
/// several tiles lies in rows and columns that must be kept up to date meanwhile; then takes the
/// rest, once a round. close(k, columns), cross(k, region), product(region).
template <class Close, class Cross, class Product>
void rounds(const Tiles& tiles, int r1, const Close& close, const Cross& cross,
            const Product& product) {
  const int size = tiles.tile, deep = ceil_div(r1, size), part = std::min(r1, size);
  const auto unless_empty = [](const Region& region, const auto& action) {
    if (region.count() > 0) action(region);
  };
  for (int first = 0; first < tiles.rows; first += deep) {
    const int end = std::min(first + deep, tiles.rows);
    for (int k = first; k < end; ++k) {
      for (int column = k * size; column < (k + 1) * size; column += part) {
        const Columns columns{column, column + part};
        close(k, columns);
        unless_empty(tiles.cross(k, columns), [&](const Region& region) { cross(k, region); });
        if (end > k + 1) unless_empty(tiles.inner(k, end, columns), product);
        if (deep == 1) unless_empty(tiles.rest(k + 1, columns), product);
      }
    }
    if (deep > 1) unless_empty(tiles.rest(end, {first * size, end * size}), product);
  }
}

// ---- Inputs.

enum class Kind { dominant, random, hilbert, integer, file };
inline constexpr std::array<std::string_view, 4> kind_names{"dominant", "random", "hilbert",
                                                            "integer"};

/// What fixes an input: every element is a function of it.
///   dominant  elements off the diagonal are random in [-1, 1), those on it n with a random sign
///   random    all elements are random in [-1, 1)
///   hilbert   1 / (i + j + 1), which is ill-conditioned, and on the diagonal 2^-10 more in f32,
///             2^-26 in f64, so that no pivot is less
///   integer   the product of two triangular matrices of small integers (element_of_l, _of_u) whose
///             pivots are powers of two: its elimination is exact in both types
///   file      those of a Matrix Market file, where the parameter `file` names one
/// The right sides are random in [-1, 1), for `integer` part of the product.
struct Input {
  Kind kind;
  std::uint64_t seed;
  std::int64_t n;
  double ridge;
  std::vector<std::int64_t> sums;  // integer: of the first m products q r, for m = 0 .. n
  std::shared_ptr<const std::vector<double>> coefficients = {};  // file: n rows of n

  /// Element j of row i, j = n being its right side, before it is rounded to the problem's type.
  double at(std::int64_t i, std::int64_t j) const;
  /// integer: what elimination must leave.
  std::int64_t element_of_l(std::int64_t i, std::int64_t k) const;  // i > k
  std::int64_t element_of_u(std::int64_t k, std::int64_t j) const;  // j >= k
};
Input input_of(const Problem& problem);

/// An instance for equations on the host: n rows of n coefficients and a right side. Its answer has
/// "lu", n x (n + 1), and "bad_pivot", a column or -1. T is float or double. Throws UsageError
/// where an element is not finite.
template <class T>
std::unique_ptr<Instance> instance_of(std::span<const T> rows, std::int64_t n, int r1,
                                      Stream& stream);

/// How `portcost solve` runs it (solver.cpp), and its row.
extern const EquationSolver equation_solver;
Algorithm algorithm();

/// What a variant is given.
inline constexpr Works<System<float>, System<double>> works;

/// Compares answers: bad_pivot exactly; LU to the bit, or else within bounds of rounding: for x of
/// random signs, L1 (U1 x) and L2 (U2 x) may differ by gamma_n (|L1||U1| + |L2||U2|) |x|, since
/// each product is within gamma_n |L||U| of the matrix (truth.cpp).
Disagreement compare(const Problem&, const Answer&, const Answer&, const Stream&);
/// Holds an answer against the matrix that was given (truth.cpp).
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::gauss
