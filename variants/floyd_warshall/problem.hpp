// SPDX-License-Identifier: Apache-2.0
// floyd_warshall: lengths of the shortest paths between all pairs of n vertices of a directed
// graph, in place. Plain C++.
//
//   for k, i, j:  a[i][j] = min(a[i][j], a[i][k] + a[k][j])
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "src/contract/rung.hpp"
#include "src/memory/place.hpp"
#include "variants/floyd_warshall/rule.hpp"
#include "variants/shared/matrix_tiles.hpp"

namespace portcost::floyd_warshall {

/// The most vertices of a problem: a matrix of f32 then takes 68.7 GB.
inline constexpr std::int64_t most_vertices = most_rows;

/// The problem that every variant receives. `a` has padded(n) rows of `pitch` = padded(n) elements,
/// 256-byte aligned; a[i][i] <= 0, and a missing edge is no_edge<T>. Padding is missing edges,
/// which change no path. On return a[i][j] is the length of the shortest path, or is_no_path.
///
/// `next`, of the same shape, is null or holds the vertex after i on the best known path from i to
/// j: at first j where there is an edge, i on the diagonal, else -1.
///
/// `negative` begins as -1. A variant stores there the first vertex k that lies on a negative cycle
/// of vertices 0 .. k, which is so where a[k][k] < 0 when the variant comes to k. The variant
/// relaxes no path over such a vertex, so that numbers stop growing and whole numbers do not
/// overflow; the contents of `a` and `next` are then meaningless.
template <class T>
struct Graph {
  T* a;
  int* next;
  int n;
  std::uint32_t pitch;
  int* negative;
  int r1;  // vertices a round of deep_k; a multiple of its tile

  PORTCOST_HOST_DEVICE std::uint64_t offset(int i) const {
    return std::uint64_t{static_cast<std::uint32_t>(i)} * pitch;
  }
  PORTCOST_HOST_DEVICE T* row(int i) const { return a + offset(i); }
  PORTCOST_HOST_DEVICE int* next_row(int i) const { return next + offset(i); }
  PORTCOST_HOST_DEVICE bool stopped() const { return *negative >= 0; }
};

/// A graph over processes. A tile row is `padding` rows of the matrix. Every process has memory for
/// the whole matrix and updates tile rows first .. end - 1. broadcast(k): the owner sends tile row
/// k to all processes.
struct Share {
  int first, end;
  std::function<void(int k)> broadcast;
};
template <class T>
struct SharedGraph : Graph<T> {
  const Share* share;
};

/// Calls action(std::true_type or std::false_type), so that a kernel knows at compile time whether
/// it keeps next hops.
template <class T, class Action>
void with_paths(const Graph<T>& g, const Action& action) {
  if (g.next != nullptr) {
    action(std::true_type());
  } else {
    action(std::false_type());
  }
}

// ---- Shapes. They define a step, so both sides of a pair read them here and in matrix_tiles.hpp.

// block_2d, on flat tiles: scratch holds the tile's parts of row k and column k.

/// The steps on cubes; a slice consists of vertices.
template <int tile, int rows, int cols, int slice, bool pipelined, int lanes_x, int teams>
struct Shape : TileShape<tile, rows, cols, slice, pipelined, lanes_x, teams> {
  /// Vertices a trip of the loop over a slice, an even number. A compiler orders instructions
  /// within a trip: in long trips nvcc puts up to 22 additions before the first minimum, so that
  /// the two pipes that execute them wait for each other in turn. For whole numbers, addition and
  /// minimum are one instruction.
  template <class T>
  static constexpr int together = pipelined && !std::is_integral_v<T> ? 2 : slice;
};
/// block_3d: slices as deep as the tile, so that the whole tile lies in scratch.
using Block3dShape = Shape<32, 4, 1, 32, false, 32, 6>;
/// staged and deep_k. The teams that a multiprocessor is to hold bound a thread's registers: with
/// fewer registers nvcc alternates additions and minima, which run in two pipes. In Kokkos's kernel
/// they form long runs unless there are five teams; CUDA's kernel is faster with four.
template <int teams>
using StagedShape = Shape<64, 4, 4, 16, false, 8, teams>;
inline constexpr int staged_teams_cuda = 4, staged_teams_kokkos = 5;
/// register_tile; with next hops an element needs two registers, so a thread has half as many.
template <bool paths>
using RegisterShape =
    std::conditional_t<paths, Shape<128, 4, 8, 8, true, 8, 1>, Shape<128, 8, 8, 8, true, 8, 2>>;

/// Hosts: a tile is one thread's work, row by row or, with `registers`, by register blocks.
template <int tile_, bool registers_>
struct HostShape {
  static constexpr int tile = tile_, threads = 1;
  static constexpr bool registers = registers_;
};
/// block_3d on a host, and all later steps.
using HostBlock3dShape = HostShape<64, false>;
using HostRegisterShape = HostShape<128, true>;
/// Rows and columns of a register block, two vectors of 32 bytes wide; with next hops, which need
/// registers too, half as many rows.
inline constexpr int host_cols = 16;
template <bool paths>
inline constexpr int host_block_rows = paths ? 2 : 4;

/// Lines of tiles, counted from 0, without a range.
struct LineRange {
  int count, first, out, out_count;
  PORTCOST_HOST_DEVICE constexpr int at(int i) const {
    const int line = first + i;
    return line < out ? line : line + out_count;
  }
};
/// The vertices of tiles [k, k + depth).
struct OverTiles {
  int k, depth;
};
/// The tiles that one launch relaxes over these vertices.
using Region = TileRegion<OverTiles, LineRange>;
/// The tiles beside, above and below tile (k, k).
constexpr Region cross_of(int tiles, int k) {
  const LineRange one{1, k, tiles, 0}, others{tiles - 1, 0, k, 1};
  return {k, 1, one, others, others, one};
}
/// In the rows and columns of tiles first .. first + depth - 1, which include k: the tiles outside
/// the cross of (k, k), over the vertices of k.
constexpr Region inner_of(int tiles, int first, int depth, int k) {
  const LineRange mine{depth - 1, first, k, 1}, all{tiles - 1, 0, k, 1},
      others{tiles - depth, 0, first, depth};
  return {k, 1, mine, all, others, mine};
}
/// All tiles outside these rows and columns.
constexpr Region rest_of(int tiles, int first, int depth) {
  const LineRange others{tiles - depth, 0, first, depth};
  return {first, depth, others, others, {}, {}};
}

/// Look-ahead in rounds of one tile (look_ahead, priorities): of the tiles outside row and column
/// k, the tiles in row or column k + 1, and all others.
constexpr Region next_cross(int tiles, int k) {
  const LineRange one{1, k + 1, tiles, 0}, others{tiles - 1, 0, k, 1}, far{tiles - 2, 0, k, 2};
  return {k, 1, one, others, far, one};
}
constexpr Region rest_around(int tiles, int k) {
  const LineRange far{tiles - 2, 0, k, 2};
  return {k, 1, far, far, {}, {}};
}

/// The order of all steps on cubes. A round relaxes all paths over the vertices of `depth` tiles.
/// For each tile (k, k) it relaxes the pivot tile and then its cross; with depth > 1 it also
/// updates the round's other rows and columns each time. The remainder comes once a round. Calls
/// pivot(k), product(region).
///
/// A tile of the cross needs no order of its own: the pivot tile has all paths among its vertices,
/// so that its product with the tile's old lengths has all paths of the new lengths.
template <class T, class Pivot, class Product>
void rounds(const Graph<T>& g, int tile, int depth, const Pivot& pivot, const Product& product) {
  const int tiles = tiles_of(g.n, tile);
  const auto unless_empty = [&](const Region& region) {
    if (region.count() > 0) product(region);
  };
  for (int first = 0; first < tiles; first += depth) {
    const int deep = std::min(depth, tiles - first);
    for (int k = first; k < first + deep; ++k) {
      pivot(k);
      unless_empty(cross_of(tiles, k));
      unless_empty(inner_of(tiles, first, deep, k));
    }
    unless_empty(rest_of(tiles, first, deep));
  }
}
/// The same over processes, with rounds of one tile. The owner of tile row k updates and broadcasts
/// it; then each process updates its other tile rows.
template <class T, class Pivot, class Product>
void rounds(const SharedGraph<T>& g, int tile, int, const Pivot& pivot, const Product& product) {
  require(tile == padding, "tile rows of another height than processes share");
  const int tiles = tiles_of(g.n, tile), first = g.share->first, end = g.share->end;
  for (int k = 0; k < tiles; ++k) {
    const bool owns_pivot = first <= k && k < end;
    const LineRange pivot_line{1, k, tiles, 0}, other_lines{tiles - 1, 0, k, 1};
    const LineRange my_other_rows{end - first - (owns_pivot ? 1 : 0), first, owns_pivot ? k : tiles,
                                  1};
    if (owns_pivot) {
      pivot(k);
      if (tiles > 1) product(Region{k, 1, pivot_line, other_lines, {}, {}});
    }
    g.share->broadcast(k);
    if (my_other_rows.count == 0) continue;
    product(Region{k, 1, my_other_rows, pivot_line, {}, {}});
    if (tiles > 1) product(Region{k, 1, my_other_rows, other_lines, {}, {}});
  }
}
/// Tiles a round of the steps on cubes. In register_tile two halve the remainder's reads and
/// writes, which pays on a device where the remainder is large.
inline constexpr auto one_tile = [](const auto&, int) { return 1; };
inline constexpr auto tiles_of_r1 = [](const auto& g, int tile) { return ceil_div(g.r1, tile); };
template <Place place>
inline constexpr auto tiles_by_size = [](const auto& g, int tile) {
  return place == Place::device && tiles_of(g.n, tile) >= 64 ? 2 : 1;
};

// ---- Inputs.

enum class Kind { dense, ring, negative };
inline constexpr std::array<std::string_view, 3> kind_names{"dense", "ring", "negative"};
inline constexpr std::array<std::string_view, 2> weight_names{"whole", "real"};
inline constexpr std::array<std::string_view, 2> off_on{"off", "on"};

/// What fixes an input: every edge's length is a function of it. No cycle is shorter than 1, so
/// that there are neither negative cycles nor cycles of length 0, in which next hops could loop.
///   dense     every pair has an edge of 1 to 999
///   ring      two rings, of 2/3 of the vertices and of the others; every vertex has an edge to the
///             next, every second vertex to the one before; one edge leads from the first ring to
///             the second, none back: shortest paths have up to n / 2 edges, and a third of pairs
///             has no path
///   negative  a quarter of pairs has an edge, of 1 to 999 plus the difference of two vertices'
///             potentials, which are 0 to 998; no edge leads to every seventh vertex
/// Real lengths are the lengths in f32 plus a random fraction of up to 1.
struct Input {
  Kind kind;
  bool real;
  std::uint64_t seed;
  std::int64_t n;
};
Input input_of(const Problem& problem);
/// Whether next hops are asked for.
bool with_hops(const Problem& problem);
/// The length of the edge from i to j; 0 where i = j, infinity where there is no edge.
double weight(const Input& input, std::int64_t i, std::int64_t j);

inline constexpr Works<Graph<float>, Graph<int>> works;
/// Types of work of the step that `distributed` runs.
inline constexpr Works<Graph<float>, Graph<int>, SharedGraph<float>, SharedGraph<int>> shared_works;

/// In whole numbers the values of pairs without a path depend on the order of the work: they become
/// no_path, and their next hops, if any, -1. The arrays, of i32, are on the host.
void mark_missing_paths(Array& distance, Array* next);
/// The greatest magnitude of an answer's finite distances.
double longest(const Array& distance, const Stream& stream);
/// The tolerance between two answers whose longest shortest path has this length. It is 0 for whole
/// numbers below 2^24, whose sums are exact. Real lengths of up to n - 1 edges are added in any
/// order; each addition errs by half a unit in the last place of the length of a part of the path,
/// which is a shortest path itself. So each answer errs by at most (n - 1) 2^-24 longest, and the
/// comparison allows twice n.
double tolerance(const Problem& problem, double longest);
/// A line that names a drawn pair whose next hop is not on a shortest path, by the answer's own
/// distances and the lengths of edges; else empty.
std::string hop_fault(const Problem& problem, const Answer& answer, const Stream& stream);
/// Compares distances by the rule of agreement, and each answer's next hops with its own distances,
/// because equally long paths may begin differently.
Disagreement compare(const Problem&, const Answer&, const Answer&, const Stream&);
/// Compares an answer with values recomputed from the inputs (truth.cpp).
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::floyd_warshall
