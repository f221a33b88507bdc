// SPDX-License-Identifier: Apache-2.0
// A model's functions for the steps over processes: the transposition of a block of a matrix. Plain
// C++.
#pragma once

#include <cstdint>
#include <tuple>

#include "src/memory/stream.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

/// A block of ny rows and nx columns of each of several matrices, and the target of its
/// transposition: nx rows of ny elements. Elements between the rows of either belong to others. As
/// small as Places, for the same reason.
template <class T>
struct Submatrix {
  static constexpr bool down = true;
  const T* a;
  T* b;
  int nx, ny;
  int lda, ldb;                     // elements from a row to the next
  std::int64_t stride_a, stride_b;  // and from a matrix to the next

  /// As in Places.
  PORTCOST_HOST_DEVICE const T* row_of_a(int matrix, int i) const {
    return a + matrix * stride_a + times(i, lda);
  }
  PORTCOST_HOST_DEVICE T* row_of_b(int matrix, int j) const {
    return b + matrix * stride_b + times(j, ldb);
  }
  PORTCOST_HOST_DEVICE RowsDown<const T> rows_of_a(int matrix, int i, int up, int j, int by) const {
    return {row_of_a(matrix, i) + j - times(up, lda), std::int64_t{by} * lda};
  }
  PORTCOST_HOST_DEVICE RowsDown<T> rows_of_b(int matrix, int j, int by) const {
    return {row_of_b(matrix, j), std::int64_t{by} * ldb};
  }
  PORTCOST_HOST_DEVICE int pitch_a() const { return lda; }
  PORTCOST_HOST_DEVICE int step_b() const {
    constexpr std::uint64_t low = 31;  // a sector has no more elements
    const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(b) / sizeof(T);
    return static_cast<int>(
        (begin | static_cast<std::uint64_t>(ldb) | static_cast<std::uint64_t>(stride_b)) & low);
  }
};

/// Rows of matrices that several ranks own, in memory that this GPU reaches. Every rank has `share`
/// rows except the last, which has `rest`.
template <class T>
struct RowsWithRanks {
  static constexpr int most_ranks = 16;

  T* begin[most_ranks];  // of each rank the first of its rows, from the first requested column
  int pitch, share, rest;
  int last;  // the last rank

  PORTCOST_HOST_DEVICE T* row(int matrix, int i) const {
    const int rank = i / share, rows = rank == last ? rest : share;
    return begin[rank] + matrix * (std::int64_t{rows} * pitch) + times(i - rank * share, pitch);
  }
  /// The existing row nearest to row i: kernels run past both ends, where there is no rank.
  PORTCOST_HOST_DEVICE int nearest(int i) const {
    const int rows = last * share + rest;
    return i < 0 ? 0 : i < rows ? i : rows - 1;
  }
  /// As RowsDown, but it finds each row separately, since the next row may be another rank's.
  struct Down {
    const RowsWithRanks& all;
    int matrix, i, j, by;
    T* row;

    PORTCOST_HOST_DEVICE void next() {
      i += by;
      row = all.row(matrix, all.nearest(i)) + j;
    }
  };
  PORTCOST_HOST_DEVICE Down down(int matrix, int i, int j, int by) const {
    return {*this, matrix, i, j, by, row(matrix, nearest(i)) + j};
  }
};

/// Given matrices whose rows several ranks own, and the transposed matrices of this rank's columns
/// of them: nx rows of ny elements.
template <class T>
struct RowsOfRanks {
  static constexpr bool down = true;
  RowsWithRanks<const T> a;
  T* b;
  int nx, ny;
  std::int64_t stride_b;

  /// As in Places.
  PORTCOST_HOST_DEVICE auto rows_of_a(int matrix, int i, int up, int j, int by) const {
    return a.down(matrix, i - up, j, by);
  }
  PORTCOST_HOST_DEVICE RowsDown<T> rows_of_b(int matrix, int j, int by) const {
    return {b + matrix * stride_b + times(j, ny), std::int64_t{by} * ny};
  }
  PORTCOST_HOST_DEVICE int step_b() const { return ny; }
};

/// This rank's rows of the given matrices, ny rows of nx elements, and the transposed matrices,
/// whose rows several ranks own: ny elements of each row.
template <class T>
struct RowsToRanks {
  /// Consecutive tiles go to rows of all ranks, so that near and far rows are written at the same
  /// time.
  static constexpr bool down = false;
  const T* a;
  RowsWithRanks<T> b;
  int nx, ny;
  std::int64_t stride_a;
  int step;  // every row of b begins at a multiple of the greatest power of two that divides it

  /// As in Places.
  PORTCOST_HOST_DEVICE RowsDown<const T> rows_of_a(int matrix, int i, int up, int j, int by) const {
    return {a + matrix * stride_a + times(i, nx) + j - times(up, nx), std::int64_t{by} * nx};
  }
  PORTCOST_HOST_DEVICE auto rows_of_b(int matrix, int j, int by) const {
    return b.down(matrix, j, 0, by);
  }
  PORTCOST_HOST_DEVICE int step_b() const { return step; }
};

/// Enqueues the transposition of `batch` matrices, which At describes; nx, ny and batch are at
/// least 1.
template <template <class> class At, class T>
using Transpose = void (*)(const At<T>&, int batch, const Stream&);
template <template <class> class At>
using Launches = std::tuple<Transpose<At, float>, Transpose<At, double>>;

using ModelLaunches = Launches<Submatrix>;
ModelLaunches openmp_launches();  // this process's OpenMP threads (openmp.cpp)
ModelLaunches cuda_launches();    // its GPU (cuda/ranks.cu)
ModelLaunches kokkos_launches();  // where this build's Kokkos runs (kokkos/ranks.cpp)
ModelLaunches kokkos_launches_by_the_book();

/// redistribute, all_to_all and overlap for a model that runs in `place`.
Rungs rungs_over_ranks(const ModelLaunches& model, Place place);
/// direct and direct_stores, for a model that runs on GPUs.
Rungs direct_rungs(const Launches<RowsOfRanks>& loads, const Launches<RowsToRanks>& stores);

}  // namespace portcost::transpose
