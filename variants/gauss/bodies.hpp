// SPDX-License-Identifier: Apache-2.0
// What CUDA's kernels and the tuned kernels do alike with elements in registers. An item is a
// thread of a block, or an item of a team's range.
#pragma once

#include "variants/gauss/problem.hpp"
#include "variants/shared/slices.hpp"

namespace portcost::gauss {

/// naive: updates an item's elements, of column j from row `first` on, by pivot k. The item loads
/// all of them before it stores the first, because the compiler does not know that no store changes
/// what is loaded.
template <class T>
PORTCOST_HOST_DEVICE void take_column(const System<T>& s, int k, int first, int j, T from,
                                      T inverse) {
  const std::uint64_t apart = s.offset(naive_warps);
  T below[column_rows], own[column_rows];
  T *row = s.row(first), *to = row;
#pragma unroll
  for (int r = 0; r < column_rows; ++r, row += apart) {
    if (first + r * naive_warps >= s.n) continue;
    below[r] = row[k];
    own[r] = row[j];
  }
#pragma unroll
  for (int r = 0; r < column_rows; ++r, to += apart) {
    if (first + r * naive_warps < s.n) to[j] = eliminate(own[r], below[r] * inverse, from);
  }
}

/// Updates an item's elements by the columns of a slice. The loop is unrolled twice: longer bodies
/// take more registers than nvcc has in f32.
template <class Shape, class T>
PORTCOST_HOST_DEVICE void take_slice(T (&own)[Shape::rows][Shape::cols], int x, int y,
                                     const T* left, const T* right) {
  for_slice<Shape, 2>(x, y, left, right, [&](int, const T* multipliers, const T* from) {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
      for (int c = 0; c < Shape::cols; ++c)
        own[r][c] = eliminate(own[r][c], multipliers[r], from[c]);
    }
  });
}

/// The square of a turn's pivots, in the registers of each item that has a line of the turn.
template <int tile, class T>
class Corner {
 public:
  static constexpr int width = turn_width<T>, wide = 4;

  // columns[m * tile + e] is element (e, m). A division has branches, which stop the overlap with
  // other work. Therefore the item first takes reciprocals without a division, and repeats the work
  // with divisions where one of those reciprocals is not exact.
  PORTCOST_HOST_DEVICE explicit Corner(const T* columns) {
    load(columns);
    if (factorise<true>()) return;
    load(columns);
    factorise<false>();
  }
  // The first pivot that is refused, or width. column: the column of pivot 0 in the matrix.
  PORTCOST_HOST_DEVICE int first_bad(const System<T>& s, int column) const {
    int bad = width;
#pragma unroll
    for (int m = width - 1; m >= 0; --m) {
      if (s.refuses(column + m, at_[m][m])) bad = m;
    }
    return bad;
  }
  PORTCOST_HOST_DEVICE void store(T* to, std::uint64_t pitch) const {
#pragma unroll
    for (int r = 0; r < width; ++r) {
#pragma unroll
      for (int c = 0; c < width; c += wide) copy_pack<wide>(to + r * pitch + c, at_[r] + c);
    }
  }
  // Solves for a row below the square (`below`), or a column beside it.
  template <bool below>
  PORTCOST_HOST_DEVICE void solve_line(T (&line)[width]) const {
#pragma unroll
    for (int m = 0; m < width; ++m) {
      if constexpr (below) line[m] *= inverse_[m];
#pragma unroll
      for (int e = m + 1; e < width; ++e) {
        line[e] = eliminate(line[e], line[m], below ? at_[m][e] : at_[e][m]);
      }
    }
  }

 private:
  PORTCOST_HOST_DEVICE void load(const T* columns) {
#pragma unroll
    for (int m = 0; m < width; ++m) {
#pragma unroll
      for (int e = 0; e < width; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, columns + m * tile + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) at_[e + i][m] = some[i];
      }
    }
  }
  // Returns whether the quick reciprocals are exact.
  template <bool quick>
  PORTCOST_HOST_DEVICE bool factorise() {
    bool holds = true;
#pragma unroll
    for (int m = 0; m < width; ++m) {
      holds = holds && quick_reciprocal_holds(at_[m][m]);
      inverse_[m] = quick ? quick_reciprocal(at_[m][m]) : reciprocal(at_[m][m]);
#pragma unroll
      for (int r = m + 1; r < width; ++r) {
        at_[r][m] *= inverse_[m];
#pragma unroll
        for (int c = m + 1; c < width; ++c) at_[r][c] = eliminate(at_[r][c], at_[r][m], at_[m][c]);
      }
    }
    return holds;
  }

  alignas(pack_bytes<T>) T at_[width][width];
  T inverse_[width];
};

/// Factorising tile (k, k), several pivots a turn. Every item keeps its elements in registers. In a
/// turn the items that hold the columns and rows of the pivots publish them in shared memory. Then
/// an item factorises the square on the diagonal, each for itself, and solves for one line below or
/// beside it. Then all items update their elements. An item has one square of 4 x 4 neighbours, or
/// two by two.
template <class Shape, class T>
struct FactorisingTile {
  static constexpr int tile = Shape::tile, rows = Shape::rows, cols = Shape::cols, wide = 4;
  using At = FactoriseScratch<T, tile>;
  static constexpr int width = At::width;
  static_assert(Shape::group_y == wide && Shape::group_x == wide && Shape::threads >= 2 * tile);
  static_assert(rows == cols && (rows == wide || rows == 2 * wide));
  System<T> s;
  int k;
  Columns before = {};  // by whose pivots the tile is updated first

  // Calls f(h, g, row, column) for each of the item's squares of 4 x 4 neighbours.
  template <class F>
  PORTCOST_HOST_DEVICE static void each_square(int item, const F& f) {
    const int x = Shape::x_of(item), y = Shape::y_of(item);
#pragma unroll
    for (int h = 0; h < rows; h += wide) {
#pragma unroll
      for (int g = 0; g < cols; g += wide) f(h, g, Shape::row_of(y, h), Shape::col_of(x, g));
    }
  }
  // Stores the item's squares in the turn's columns and rows to shared memory.
  PORTCOST_HOST_DEVICE static void publish(const T (&own)[rows][cols], int item, int pivot,
                                           T* turn) {
    each_square(item, [&](int h, int g, int row, int column) {
      if (column >= pivot && column < pivot + width && row >= pivot) {
#pragma unroll
        for (int c = 0; c < wide; ++c) {
          alignas(pack_bytes<T>) T some[wide];
#pragma unroll
          for (int r = 0; r < wide; ++r) some[r] = own[h + r][g + c];
          copy_pack<wide>(turn + At::columns + (column + c - pivot) * tile + row, some);
        }
      }
      if (row >= pivot && row < pivot + width && column >= pivot + width) {
#pragma unroll
        for (int r = 0; r < wide; ++r) {
          copy_pack<wide>(turn + At::rows + (row + r - pivot) * tile + column, own[h + r] + g);
        }
      }
    });
  }
  // Solves for line `at` of the turn's columns (`below`) or rows, in shared memory and in the
  // matrix. The item of the last line also stores the square and its first refused pivot.
  template <bool below>
  PORTCOST_HOST_DEVICE void solve_line(int at, int pivot, T* turn) const {
    const bool open = at >= pivot + width, last = at == tile - 1;
    if (!open && !last) return;
    const Corner<tile, T> corner(turn + At::columns + pivot);
    T* const first = s.row(k * tile + pivot) + k * tile;  // the turn's first row in the tile
    if (open) {
      T* const place = turn + (below ? At::columns : At::rows) + at;
      alignas(pack_bytes<T>) T line[width];
#pragma unroll
      for (int e = 0; e < width; ++e) line[e] = place[e * tile];
      corner.template solve_line<below>(line);
#pragma unroll
      for (int e = 0; e < width; ++e) place[e * tile] = line[e];
      if constexpr (below) {
#pragma unroll
        for (int e = 0; e < width; e += wide) {
          copy_pack<wide>(s.row(k * tile + at) + k * tile + pivot + e, line + e);
        }
      } else {
#pragma unroll
        for (int e = 0; e < width; ++e) first[s.offset(e) + at] = line[e];
      }
    }
    if (!last) return;
    if constexpr (below) {
      turn[At::bad] = static_cast<T>(corner.first_bad(s, k * tile + pivot));
    } else {
      corner.store(first + pivot, s.offset(1));
    }
  }
  PORTCOST_HOST_DEVICE void solve_lines(int item, int pivot, T* turn) const {
    if (item < tile) {
      solve_line<true>(item, pivot, turn);
    } else if (Shape::threads == 2 * tile || item < 2 * tile) {
      solve_line<false>(item - tile, pivot, turn);
    }
  }
  // Updates the squares from (h, g) on by the turn's pivots.
  template <int h, int g>
  PORTCOST_HOST_DEVICE static void take(T (&own)[rows][cols], const T* columns, const T* across) {
#pragma unroll
    for (int m = 0; m < width; ++m) {
      alignas(pack_bytes<T>) T multipliers[rows], from[cols];
#pragma unroll
      for (int r = h; r < rows; r += wide) {
        copy_pack<wide>(multipliers + r, columns + m * tile + Shape::row_of(0, r));
      }
#pragma unroll
      for (int c = g; c < cols; c += wide) {
        copy_pack<wide>(from + c, across + m * tile + Shape::col_of(0, c));
      }
#pragma unroll
      for (int r = h; r < rows; ++r) {
#pragma unroll
        for (int c = g; c < cols; ++c) own[r][c] = eliminate(own[r][c], multipliers[r], from[c]);
      }
    }
  }
  // Groups of `lanes` items update the squares that any of them still needs, so that a warp does
  // not diverge. Updates of finished lines are harmless: nothing reads those elements again.
  PORTCOST_HOST_DEVICE static void take_products(T (&own)[rows][cols], int item, int pivot,
                                                 const T* turn) {
    const int last = item | (lanes - 1), end = pivot + width;
    const int low = Shape::row_of(Shape::y_of(last), 0) + wide;
    const int right = Shape::col_of(Shape::x_of(last), 0) + wide;
    const T* const columns = turn + At::columns + Shape::row_of(Shape::y_of(item), 0);
    const T* const across = turn + At::rows + Shape::col_of(Shape::x_of(item), 0);
    if constexpr (rows == wide) {
      if (low > end && right > end) take<0, 0>(own, columns, across);
    } else {
      if (low + Shape::row_of(0, wide) <= end || right + Shape::col_of(0, wide) <= end) return;
      if (low > end && right > end) {
        take<0, 0>(own, columns, across);
      } else if (low > end) {
        take<0, wide>(own, columns, across);
      } else if (right > end) {
        take<wide, 0>(own, columns, across);
      } else {
        take<wide, wide>(own, columns, across);
      }
    }
  }
};

/// Solving for the cross of tile (k, k). A team or block has a part of a tile, an item a chunk of a
/// line; a line is a column of a tile beside the pivot tile (`beside`) or a row of a tile below it.
/// Chunk after chunk, the items that have the chunk solve for it, then the items of later chunks
/// update them by it. Meanwhile the next blocks of the pivot tile are prefetched. An item's number
/// is of the model's own type, because a GPU divides unsigned numbers in fewer instructions.
template <int tile, class T>
struct SolvingCross {
  using Shape = SolveShape<tile>;
  static constexpr int parts = Shape::parts, lines = Shape::lines, items = Shape::items;
  static constexpr int chunk = Shape::chunk, chunks = Shape::chunks, wide = Shape::wide;
  System<T> s;
  Region region;
  int k;

  // The packs that an item fetches of the pivot tile's blocks by which a chunk updates itself and
  // the later chunks.
  struct Blocks {
    alignas(pack_bytes<T>) T at[Shape::loads][wide];
  };

  // An item's chunk of a line, from the matrix or to it.
  template <bool beside>
  PORTCOST_HOST_DEVICE void load(T (&line)[chunk], const T* from) const {
#pragma unroll
    for (int e = 0; e < chunk; e += beside ? 1 : wide) {
      if constexpr (beside) {
        line[e] = from[s.offset(e)];
      } else {
        copy_pack<wide>(line + e, from + e);
      }
    }
  }
  template <bool beside>
  PORTCOST_HOST_DEVICE void store(const T (&line)[chunk], T* to) const {
#pragma unroll
    for (int e = 0; e < chunk; e += beside ? 1 : wide) {
      if constexpr (beside) {
        to[s.offset(e)] = line[e];
      } else {
        copy_pack<wide>(to + e, line + e);
      }
    }
  }
  // Stores the reciprocal of pivot `item`.
  PORTCOST_HOST_DEVICE void invert(T* inverse, auto item) const {
    if (item < tile) inverse[item] = reciprocal(s.row(k * tile + item)[k * tile + item]);
  }

  template <bool beside>
  PORTCOST_HOST_DEVICE T* place(Tile at, int line, auto item) const {
    const int first = k * tile;
    const int own = item / lines;
    return beside ? s.row(first + own * chunk) + at.col * tile + line
                  : s.row(at.row * tile + line) + first + own * chunk;
  }
  // Calls f(i, b, row, column) for all of an item's packs: pack i lies in block b, which is for
  // chunk c + b. Blocks for columns are transposed, so that neighbouring items store rows of a
  // block and have few bank conflicts.
  template <bool beside, class F>
  PORTCOST_HOST_DEVICE static void each_pack(auto item, int c, const F& f) {
    const int index = item % Shape::packs;
    const int row = beside ? index % chunk : index / (chunk / wide);
    const int column = (beside ? index / chunk : index % (chunk / wide)) * wide;
#pragma unroll
    for (int i = 0; i < Shape::loads; ++i) {
      const int b = i * Shape::at_once + static_cast<int>(item) / Shape::packs;
      if (c + b < chunks) f(i, b, row, column);
    }
  }
  template <bool beside>
  PORTCOST_HOST_DEVICE void fetch(Blocks& to, auto item, int c) const {
    const T* const factorised = s.row(k * tile) + k * tile;
    each_pack<beside>(item, c, [&](int i, int b, int row, int column) {
      copy_pack<wide>(to.at[i], factorised + s.offset((beside ? c + b : c) * chunk + row) +
                                    (beside ? c : c + b) * chunk + column);
    });
  }
  // Block b in scratch is for chunk c + b.
  template <bool beside>
  PORTCOST_HOST_DEVICE static void publish(const Blocks& from, T* scratch, auto item, int c) {
    each_pack<beside>(item, c, [&](int i, int b, int row, int column) {
      T* const block = scratch + b * Shape::block;
      if constexpr (beside) {
#pragma unroll
        for (int e = 0; e < wide; ++e) block[(column + e) * chunk + row] = from.at[i][e];
      } else {
        copy_pack<wide>(block + row * chunk + column, from.at[i]);
      }
    });
  }
  // Solves for a chunk. Element e is updated by element m with the factor block[m * chunk + e]. In
  // a row of L, element m is first multiplied by its pivot's reciprocal, inverse[m].
  template <bool beside>
  PORTCOST_HOST_DEVICE static void solve_chunk(T (&line)[chunk], const T* block, const T* inverse) {
#pragma unroll
    for (int m = 0; m < chunk; ++m) {
      if constexpr (!beside) line[m] = line[m] * inverse[m];
#pragma unroll
      for (int e = (m + 1) / wide * wide; e < chunk; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, block + m * chunk + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) {
          if (e + i > m) line[e + i] = eliminate(line[e + i], line[m], some[i]);
        }
      }
    }
  }
  // Updates a chunk by an earlier chunk, whose element m in this line is known[m * lines].
  PORTCOST_HOST_DEVICE static void take(T (&line)[chunk], const T* known, const T* block) {
#pragma unroll 4
    for (int m = 0; m < chunk; ++m) {
      const T factor = known[m * lines];
#pragma unroll
      for (int e = 0; e < chunk; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, block + m * chunk + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) line[e + i] = eliminate(line[e + i], factor, some[i]);
      }
    }
  }
};

}  // namespace portcost::gauss
