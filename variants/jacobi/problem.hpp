// SPDX-License-Identifier: Apache-2.0
// jacobi: `rows` by `columns` nodes inside a frame of fixed (Dirichlet) values, in two grids that
// swap. Plain C++.
//
//   for y in [0, rows), x in [0, columns):
//     new[y][x] = ((old[y-1][x] + old[y+1][x]) / dx^2 + (old[y][x-1] + old[y][x+1]) / dy^2 -
//                  r[y][x]) * beta
//
// Nodes are counted from the first inside; the frame is row -1, row `rows`, column -1 and column
// `columns`. As in the HOWTO (README.md), in dx and dy x counts rows and y columns.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "src/contract/rung.hpp"
#include "src/contract/solvers.hpp"
#include "variants/jacobi/rule.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::jacobi {

/// 1/dx^2, 1/dy^2 and beta. Throws UsageError, which names the value, unless dx and dy are positive
/// and the results finite and positive.
Coefficients<double> coefficients(double dx, double dy);

Coefficients<double> coefficients_of(const Problem& problem);

/// A run's phases: each has some sweeps, then a residual where residuals are requested. Without
/// residuals it has told_sweeps, so that `portcost solve` can tell where it is.
inline constexpr std::int64_t told_sweeps = 1000;
class Phases {
 public:
  explicit Phases(const Problem& problem);
  bool checks() const { return every_ > 0; }
  /// Whether a run ends at the first residual that is no greater than the tolerance.
  bool stops() const { return checks() && tolerance_ > 0; }
  double tolerance() const { return tolerance_; }
  int count() const { return static_cast<int>(ceil_div(iterations_, length_)); }
  int sweeps_of(int phase) const {
    return static_cast<int>(std::min(length_, iterations_ - phase * length_));
  }
  /// The sweeps of a phase and of all earlier phases.
  std::int64_t sweeps_until(int phase) const {
    return std::min(iterations_, (phase + std::int64_t{1}) * length_);
  }

 private:
  std::int64_t every_, iterations_, length_;
  double tolerance_;
};

/// The first values of inside nodes, and the right side: random, or 0 as in the HOWTO.
enum class Fields { random, zero };
inline constexpr std::array<std::string_view, 2> field_names{"random", "zero"};

/// Where a device's grids and right side lie: in its memory, or in the host's, which it has mapped.
inline constexpr std::array<std::string_view, 2> memory_names{"own", "mapped"};

/// The values of a problem's nodes by their place in the whole grid, so that the owner of a part
/// can compute the part.
struct Input {
  Fields fields;
  std::uint64_t seed;
  std::int64_t rows, columns;
  double boundary;  // not -0, whose sign a sum would lose

  /// The first value of node (y, x), -1 <= y <= rows and -1 <= x <= columns; inside, in [0, 1).
  double start(std::int64_t y, std::int64_t x) const {
    const bool inside = y >= 0 && y < rows && x >= 0 && x < columns;
    if (!inside) return boundary;
    return fields == Fields::zero ? 0 : drawn(0, y, x);
  }
  /// The right side at an inside node, in [-8, 8).
  double right_side(std::int64_t y, std::int64_t x) const {
    return fields == Fields::zero ? 0 : 16 * drawn(1, y, x) - 8;
  }

 private:
  double drawn(std::uint64_t which, std::int64_t y, std::int64_t x) const {
    const auto node = static_cast<std::uint64_t>(y * columns + x);
    return static_cast<double>(random_bits(seed, 2 * node + which) >> 40) * 0x1p-24;
  }
};
Input input_of(const Problem& problem);

// ---- Memory: the same for both grids and for the right side.

/// Elements before a row's first inside node, which therefore lies at a line of 128 bytes and can
/// be read in 16-byte packs. The last of these elements is the frame's; the others may be read but
/// mean nothing, as do the elements behind column `columns`.
template <class T>
inline constexpr int margin = 128 / sizeof(T);

template <class T>
constexpr std::int64_t pitch_of(std::int64_t columns) {
  return margin<T> * (1 + ceil_div(columns + 1, std::int64_t{margin<T>}));
}
/// Elements of a grid of rows -1 to `rows`; and elements before node (0, 0).
template <class T>
constexpr std::int64_t elements_of(std::int64_t rows, std::int64_t columns) {
  return (rows + 2) * pitch_of<T>(columns);
}
template <class T>
constexpr std::int64_t first_inside(std::int64_t columns) {
  return pitch_of<T>(columns) + margin<T>;
}

/// One launch: one or several sweeps from one grid to the other. Pointers are to node (0, 0). rows,
/// columns >= 1 and pitch < 2^31; their products may exceed it, so a row's start is computed in 64
/// bits, and 32-bit offsets are used only within a row and within a tile.
template <class T>
struct Sweep {
  const T* in;
  T* out;
  const T* right_side;
  int rows, columns, pitch;
  Coefficients<T> c;

  /// The offset of row y, which may be -1.
  PORTCOST_HOST_DEVICE std::int64_t offset(int y) const { return std::int64_t{y} * pitch; }
  PORTCOST_HOST_DEVICE const T* row_in(int y) const { return in + offset(y); }
  PORTCOST_HOST_DEVICE T* row_out(int y) const { return out + offset(y); }
  PORTCOST_HOST_DEVICE const T* row_right(int y) const { return right_side + offset(y); }
  PORTCOST_HOST_DEVICE bool inside(int y, int x) const {
    return static_cast<unsigned>(y) < static_cast<unsigned>(rows) &&
           static_cast<unsigned>(x) < static_cast<unsigned>(columns);
  }
};

/// The two grids that swap, by their nodes (0, 0).
template <class T>
struct Grids {
  T *now, *next;
};

/// The work that a variant receives: `sweeps` sweeps of the grid `now`; then, where `residual` is
/// not null, the greatest residual() of all nodes into it. A variant swaps the grids after each
/// launch that fills `next`.
template <class T>
struct Task {
  Grids<T>* grids;
  const T* right_side;
  int rows, columns, pitch;
  Coefficients<T> c;
  int sweeps, depth;  // depth: the most sweeps of one pass over memory
  T* residual;
  int processors;  // multiprocessors of a device, threads of a host
  T* buffers;      // on a host, for three_rows: buffer_rows rows of a grid for each processor

  Sweep<T> sweep() const { return {grids->now, grids->next, right_side, rows, columns, pitch, c}; }
};
inline constexpr Works<Task<float>, Task<double>> works;

/// Values of host_share that are no percentages: hybrid finds the share; or finds it and compares
/// it with all others.
inline constexpr double found_share = -1, every_share = -2;

/// The sweeps of a pass over memory, 8, 4, 2 or 1: the most that remain and are allowed.
inline constexpr int most_depth = 8;
constexpr int pass_of(int left, int allowed) {
  int result = most_depth;
  while (result > std::min(left, allowed)) result /= 2;
  return result;
}

/// Carries out a task by calls of pass(Sweep, sweeps), which enqueues a pass of up to `most` sweeps
/// from one grid to the other, and norm(Sweep, T*), the greatest residual of its `in`.
template <class T, class Pass, class Norm>
void carry_out(const Task<T>& task, int most, const Pass& pass, const Norm& norm) {
  for (int left = task.sweeps; left > 0;) {
    const int sweeps = pass_of(left, most);
    pass(task.sweep(), sweeps);
    std::swap(task.grids->now, task.grids->next);
    left -= sweeps;
  }
  if (task.residual != nullptr) norm(task.sweep(), task.residual);
}

// ---- Norm: the greatest residual. A maximum of non-negative numbers is the same in any order and
// for any division of the nodes, as is the maximum of their bits, in which a NaN is greater than
// all.

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;
template <class T>
PORTCOST_HOST_DEVICE Bits<T> bits_of(T value) {
  Bits<T> result;
  std::memcpy(&result, &value, sizeof(T));
  return result;
}

PORTCOST_HOST_DEVICE constexpr int clamped(int i, int least, int most) {
  return i < least ? least : i > most ? most : i;
}

// ---- Shapes. They define a step, so both sides of a pair read them here.

/// Threads of a team: 32 lanes along a row times `warps` along the columns.
inline constexpr int lanes = 32;

/// 16 bytes that are loaded and stored at once.
template <class T>
inline constexpr int piece = 16 / sizeof(T);
template <class T>
struct alignas(16) Wide {
  T at[piece<T>];
};

/// naive: a node a thread, 32 x 8 threads. On a host a team is one thread and has a chunk of one
/// row.
struct NaiveShape {
  int x, y, warps;
};
PORTCOST_HOST_DEVICE constexpr NaiveShape naive_shape(Place place) {
  return place == Place::device ? NaiveShape{lanes, 8, 8} : NaiveShape{1 << 14, 1, 1};
}

/// three_rows (host): a band of rows for each of `bands` threads, none larger than the first. Each
/// band has four rows of memory: the upper, middle and lower rows, which rotate, and the old row
/// below the band.
inline constexpr int buffer_rows = 4;
struct Band {
  int first, end;
};
constexpr Band band_of(int rows, int bands, int band) {
  const int share = ceil_div(rows, bands);
  const std::int64_t first = std::int64_t{band} * share;
  return {static_cast<int>(std::min<std::int64_t>(first, rows)),
          static_cast<int>(std::min<std::int64_t>(first + share, rows))};
}

/// device: a thread a column, 512 threads, of which the first and the last only load for their
/// neighbours; a multiprocessor is to hold device_teams teams. 8 rows a team: such bands are faster
/// than higher bands, although they move as many bytes from memory (README.md).
inline constexpr int device_threads = 512, device_warps = device_threads / lanes, device_teams = 4;
inline constexpr int device_columns = device_threads - 2, device_rows = 8;
/// Rows of the grid, and as many of the right side, that a thread prefetches.
inline constexpr int device_ahead = 4;
static_assert(device_ahead % 2 == 0, "two rows in scratch take turns");

/// register_march: each thread reads 16 bytes along a row and walks down march_rows rows.
inline constexpr int march_warps = 4, march_rows = 4;
inline constexpr int march_threads = lanes * march_warps;

/// The norm: a thread has a column of a band of rows.
inline constexpr int norm_threads = 256, norm_rows = 64;

/// many_steps: on a device, a team of 128 threads with 16 bytes each walks down a band of rows.
/// `halo` columns on each side, in whole packs, are finished by other teams.
inline constexpr int many_warps = 4, many_threads = lanes * many_warps;
template <class T, int depth>
struct ManyShape {
  static constexpr int halo_threads = ceil_div(depth, piece<T>);
  static constexpr int halo = halo_threads * piece<T>;
  static constexpr int columns = many_threads * piece<T> - 2 * halo;
  /// Unrolled rows, so that rows keep their registers.
  static constexpr int unrolled = depth < 2 ? 2 : depth;
  /// The first and the last column of each thread, of each level but the last, double-buffered.
  static constexpr int level_elements = 2 * many_threads;
  static constexpr int half_elements = depth * level_elements;
  static constexpr int scratch_elements = 2 * half_elements;
  /// Teams that a multiprocessor is to hold, the second launch bound.
  static constexpr int teams = depth == 8 ? 3 : 4;
};
/// Rows of a band: as many bands as give `slots` teams work at once, but no band so low that
/// redundant rows, 2 * depth a band, dominate. A multiple of `unrolled`.
inline constexpr int least_band = 32;
constexpr int many_rows(int rows, int strips, int slots, int unrolled) {
  const int bands = std::max(1, slots / strips);
  const int wanted = std::max(least_band, ceil_div(rows, bands));
  return static_cast<int>(std::min<std::int64_t>(
      ceil_div(std::int64_t{wanted}, unrolled) * std::int64_t{unrolled}, std::int64_t{1} << 30));
}
/// On a host: chunks of this many columns, whose rows of all levels stay in a core's own cache; and
/// bands for so many tiles a thread.
inline constexpr int chunk_columns = 1024;
inline constexpr int chunk_row = chunk_columns + 2 * most_depth + 2;
inline constexpr int tiles_a_thread = 2;

/// jacobi for `portcost solve`.
extern const FieldSolver field_solver;

/// Compares an answer with values recomputed from the inputs (truth.cpp).
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::jacobi
