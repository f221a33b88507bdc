// SPDX-License-Identifier: Apache-2.0
// gauss_batched: LU factors without pivoting of many small matrices, each in place. Plain C++.
//
//   for k, i > k:  a[i][k] *= 1 / a[k][k];  for j > k:  a[i][j] -= a[i][k] * a[k][j]
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "src/contract/rung.hpp"
#include "src/memory/place.hpp"
#include "variants/gauss_batched/rule.hpp"
#include "variants/shared/matrix_tiles.hpp"

namespace portcost::gauss_batched {

inline constexpr std::int64_t most_unknowns = 64, most_systems = 10'000'000;

/// The systems that every variant receives: `count` row-major matrices of n x n elements, one after
/// another without padding; the first is 256-byte aligned.
///
/// On return each matrix has U on and above its diagonal, and below it the multipliers (L, whose
/// diagonal is 1). There are no right sides, because cuBLAS's batched LU takes square matrices
/// only.
///
/// `bad_pivot` begins as -1 for every system. When a variant comes to a pivot a[k][k] that is
/// refused (is_bad_pivot), it stores the system's first such k and does not divide by the pivot;
/// the system's contents are then meaningless. Other systems go on.
template <class T>
struct Batch {
  T* a;
  int n;
  int count;
  int* bad_pivot;
  T tiny;  // tiny_pivot() of the greatest element of all matrices (variants/shared/lu_rule.hpp)

  PORTCOST_HOST_DEVICE int size() const { return n * n; }
  PORTCOST_HOST_DEVICE std::uint64_t offset(int system) const {
    return std::uint64_t{static_cast<std::uint32_t>(system)} * static_cast<std::uint32_t>(size());
  }
  PORTCOST_HOST_DEVICE T* system(int number) const { return a + offset(number); }
  PORTCOST_HOST_DEVICE bool refuses(T pivot) const { return is_bad_pivot(pivot, tiny); }
};

/// Factorises a thread's system, whose rows lie n apart. Returns the column whose pivot is refused,
/// or -1. for_row(from, end, action) calls action(j) for j = from, ..., end - 1.
template <class T, class F>
PORTCOST_HOST_DEVICE inline int factorise(const Batch<T>& b, T* a, const F& for_row) {
  for (int k = 0; k < b.n; ++k) {
    const T* const from = a + k * b.n;
    const T pivot = from[k];
    if (b.refuses(pivot)) return k;
    const T inverse = reciprocal(pivot);
    for (int i = k + 1; i < b.n; ++i) {
      T* const row = a + i * b.n;
      const T factor = multiplier(row[k], inverse);
      row[k] = factor;
      for_row(k + 1, b.n, [=](int j) { row[j] = eliminate(row[j], factor, from[j]); });
    }
  }
  return -1;
}

// ---- Shapes. They define a step, so both sides of a pair read them here.

/// thread_each: systems a team, a thread a system. On hosts, systems that a thread takes at a time:
/// few, so that some hundred systems give all threads work.
inline constexpr int each_warps = 4;
constexpr int each_systems(Place place) { return place == Place::device ? lanes * each_warps : 16; }

/// staged: one warp, with as many systems as it has threads and as fit into staged_bytes of
/// scratch, at least one. The distance of systems is an odd number of elements, so that threads at
/// the same element of their systems have no bank conflicts.
inline constexpr int staged_bytes = 32 * 1024;
template <class T>
PORTCOST_HOST_DEVICE constexpr int staged_systems(int n) {
  const int room = staged_bytes / (n * n * static_cast<int>(sizeof(T)));
  return room < lanes ? room : lanes;
}
PORTCOST_HOST_DEVICE constexpr int staged_pitch(int n) { return n * n | 1; }
/// Copies of a team to scratch and back: a thread loads `together` elements before it stores the
/// first, so that as many loads are in flight. `group` is the elements that all threads load. The
/// remainder after the last whole group is copied element by element.
template <int threads_, int together_>
struct CopyShape {
  static constexpr int threads = threads_, together = together_, group = threads * together;
};
using StagedCopy = CopyShape<lanes, 8>;
/// The place in scratch of element e of a team's systems, which are contiguous in memory.
struct StagedPlaces {
  int gap;           // elements between two systems in scratch
  unsigned inverse;  // of a system's size, times 2^25

  PORTCOST_HOST_DEVICE explicit StagedPlaces(int n)
      : gap(staged_pitch(n) - n * n), inverse(((1u << 25) + n * n - 1) / (n * n)) {}
  /// By a multiplication, exact for all elements that fit into staged_bytes.
  PORTCOST_HOST_DEVICE int of(int e) const {
    return e + gap * static_cast<int>(static_cast<unsigned>(e) * inverse >> 25);
  }
};

/// team_each: a system a team, a row a warp at a time.
inline constexpr int team_warps = 4;
using TeamCopy = CopyShape<lanes * team_warps, 4>;

/// lane_grid: a grid of `down` by `across` lanes holds a system. A lane has every down-th row and,
/// in it, the columns of every across-th pack: `rows` by `cols` elements in registers. A pack is 16
/// bytes, which a thread loads at once; neighbouring lanes load at least 32 neighbouring bytes, a
/// sector. A team has `warps` warps; a multiprocessor is to hold `teams` teams.
///
/// Columns are eliminated `together` at a time, from one pack. The lanes that hold the columns, and
/// the lanes that hold their pivots' rows, publish them in `published` elements of scratch a
/// system, double-buffered. Systems' scratch is padded by a pack, which avoids bank conflicts.
template <class T, int n_, int down_, int across_, int warps_, int teams_, int together_>
struct GridShape {
  static constexpr int n = n_, down = down_, across = across_, warps = warps_, teams = teams_;
  static constexpr int together = together_;
  static constexpr int threads = lanes * warps, of_system = down * across;
  static constexpr int systems = threads / of_system;
  static constexpr int pack = 16 / static_cast<int>(sizeof(T));
  static constexpr int rows = n / down, cols = n / across;
  static constexpr int published = 2 * n * together, apart = 2 * published + pack,
                       scratch = systems * apart;
  /// Whether the code of all rounds nearly fills the instruction cache (107 KiB and more of an
  /// H100's 128). Two measures then keep it short: a lane also updates finished rows and drops the
  /// result, because nvcc would otherwise generate a branch for each pack; and Kokkos's kernel does
  /// without Teams::of_team (number_in).
  static constexpr bool long_code = n > 32 && sizeof(T) == 4;
  static_assert(rows * down == n && cols * across == n && cols % pack == 0);
  static_assert(pack % together == 0);

  /// The item's system in the team, and its position in the grid.
  PORTCOST_HOST_DEVICE static constexpr int system_of(int item) { return item / of_system; }
  PORTCOST_HOST_DEVICE static constexpr int y_of(int item) { return item % of_system / across; }
  PORTCOST_HOST_DEVICE static constexpr int x_of(int item) { return item % across; }
  /// The row and the column of the matrix that are row r and column c of a lane.
  PORTCOST_HOST_DEVICE static constexpr int row_of(int y, int r) { return r * down + y; }
  PORTCOST_HOST_DEVICE static constexpr int col_of(int x, int c) {
    return columns_after(c) + x * pack;
  }
  /// The columns from a lane's first column to its column c.
  PORTCOST_HOST_DEVICE static constexpr int columns_after(int c) {
    return c / pack * (across * pack) + c % pack;
  }
  /// The lane that has row or column k, and the index among its own.
  PORTCOST_HOST_DEVICE static constexpr int y_with(int k) { return k % down; }
  PORTCOST_HOST_DEVICE static constexpr int r_with(int k) { return k / down; }
  PORTCOST_HOST_DEVICE static constexpr int x_with(int k) { return k / pack % across; }
  PORTCOST_HOST_DEVICE static constexpr int c_with(int k) {
    return k / (across * pack) * pack + k % pack;
  }
};
/// The shapes by size; any other n takes the next greater size.
template <class T, int n>
struct GridOf;
// clang-format off
template <> struct GridOf<float, 4> : GridShape<float, 4, 2, 1, 4, 12, 2> {};
template <> struct GridOf<float, 8> : GridShape<float, 8, 1, 2, 1, 24, 2> {};
template <> struct GridOf<float, 16> : GridShape<float, 16, 2, 2, 1, 16, 2> {};
template <> struct GridOf<float, 32> : GridShape<float, 32, 4, 4, 1, 16, 2> {};
template <> struct GridOf<float, 64> : GridShape<float, 64, 8, 4, 1, 8, 1> {};
template <> struct GridOf<double, 4> : GridShape<double, 4, 1, 2, 4, 8, 2> {};
template <> struct GridOf<double, 8> : GridShape<double, 8, 2, 2, 2, 12, 2> {};
template <> struct GridOf<double, 16> : GridShape<double, 16, 2, 4, 1, 15, 2> {};
template <> struct GridOf<double, 32> : GridShape<double, 32, 4, 4, 1, 8, 2> {};
template <> struct GridOf<double, 64> : GridShape<double, 64, 8, 8, 2, 4, 2> {};
// clang-format on
/// Calls action(GridOf<T, m>()) for the least m that holds n unknowns.
template <class T, class Action>
void with_grid(int n, const Action& action) {
  if (n <= 4) return action(GridOf<T, 4>());
  if (n <= 8) return action(GridOf<T, 8>());
  if (n <= 16) return action(GridOf<T, 16>());
  if (n <= 32) return action(GridOf<T, 32>());
  action(GridOf<T, 64>());
}

/// shuffles: the reason why a problem cannot use them, or an empty text.
inline std::string_view why_not_shuffles(const Problem& p) {
  if (p.type != ElementType::f64 || p.size.at("n") <= 32) return "";
  return "a system of more than 32 unknowns in f64 has more lanes than a warp";
}

// ---- Inputs.

enum class Kind { dominant, random, integer };
inline constexpr std::array<std::string_view, 3> kind_names{"dominant", "random", "integer"};

/// What fixes an input: every element is a function of it.
///   dominant  random in [-1, 1) off the diagonal, n with a random sign on it
///   random    random in [-1, 1) everywhere
///   integer   products of two triangular matrices of small integers (element_of_l, _of_u) whose
///             pivots are powers of two: elimination is exact in both types
struct Input {
  Kind kind;
  std::uint64_t seed;
  std::int64_t n;

  /// Element (i, j) of a system, before rounding to the problem's type.
  double at(std::int64_t system, std::int64_t i, std::int64_t j) const;
  /// integer: the exact L and U.
  std::int64_t element_of_l(std::int64_t system, std::int64_t i, std::int64_t k) const;  // i > k
  std::int64_t element_of_u(std::int64_t system, std::int64_t k, std::int64_t j) const;  // j >= k
};
Input input_of(const Problem& problem);

/// An instance for up to most_systems finite matrices on the host, one after another. Its answer is
/// "lu", count x n x n, and "bad_pivot", a column or -1 for each. T is float or double. Throws
/// Failure where the matrices are not such.
template <class T>
std::unique_ptr<Instance> instance_of(std::span<const T> matrices, std::int64_t n, Stream& stream);

inline constexpr Works<Batch<float>, Batch<double>> works;

/// Compares answers: bad_pivot exactly, except for a small pivot of a `random` system, which one of
/// the two may refuse alone; LU bit for bit, or else within rounding bounds: for x of random signs,
/// L1 (U1 x) and L2 (U2 x) may differ by gamma_n (|L1||U1| + |L2||U2|) |x|, since each product is
/// within gamma_n |L||U| of the matrix (truth.cpp). Systems with a refused pivot are not compared
/// further.
Disagreement compare(const Problem&, const Answer&, const Answer&, const Stream&);
/// Compares an answer with the given matrices (truth.cpp).
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);

}  // namespace portcost::gauss_batched
