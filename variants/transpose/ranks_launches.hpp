// SPDX-License-Identifier: Apache-2.0
// What a model's file gives to the steps over processes: the transposed of a block of a matrix.
// Plain C++.
#pragma once

#include <cstdint>
#include <tuple>

#include "src/memory/stream.hpp"
#include "variants/transpose/problem.hpp"

namespace portcost::transpose {

/// A block of ny rows and nx columns of each of several matrices, and where its transposed goes: to
/// nx rows of ny elements. What lies between the rows of either belongs to others. As small as
/// Places, for the same reason.
template <class T>
struct Submatrix {
  const T* a;
  T* b;
  int nx, ny;
  int lda, ldb;                     // elements from a row to the next
  std::int64_t stride_a, stride_b;  // and from a matrix to the next

  /// As Places has them.
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

/// Enqueues the transposed of a block of `batch` matrices; nx, ny and batch are at least 1.
template <class T>
using TransposeBlock = void (*)(const Submatrix<T>&, int batch, const Stream&);

/// Given matrices whose rows lie with several ranks, in memory that this GPU reaches, and the
/// transposed of those columns of them that are this rank's: nx rows of ny elements. Every rank has
/// `share` rows but the last, which has the `rest`.
template <class T>
struct RowsOfRanks {
  static constexpr int most_ranks = 16;

  const T* a[most_ranks];  // of each rank the first of its rows, from this rank's first column on
  T* b;
  int nx, ny;
  int lda, share, rest;
  int last;  // the last rank
  std::int64_t stride_b;

  /// As Places has them.
  PORTCOST_HOST_DEVICE const T* row_of_a(int matrix, int i) const {
    const int rank = i / share, rows = rank == last ? rest : share;
    return a[rank] + matrix * (std::int64_t{rows} * lda) + times(i - rank * share, lda);
  }
  PORTCOST_HOST_DEVICE T* row_of_b(int matrix, int j) const {
    return b + matrix * stride_b + times(j, ny);
  }
  /// The row nearest to row i that there is: kernels go past both ends, where `a` has no rank.
  PORTCOST_HOST_DEVICE int nearest(int i) const { return i < 0 ? 0 : i < ny ? i : ny - 1; }
  /// Here each row of A is found by itself, since the next may lie with another rank.
  struct Down {
    const RowsOfRanks& all;
    int matrix, i, j, by;
    const T* row;

    PORTCOST_HOST_DEVICE void next() {
      i += by;
      row = all.row_of_a(matrix, all.nearest(i)) + j;
    }
  };
  PORTCOST_HOST_DEVICE Down rows_of_a(int matrix, int i, int up, int j, int by) const {
    return {*this, matrix, i - up, j, by, row_of_a(matrix, nearest(i - up)) + j};
  }
  PORTCOST_HOST_DEVICE RowsDown<T> rows_of_b(int matrix, int j, int by) const {
    return {row_of_b(matrix, j), std::int64_t{by} * ny};
  }
  PORTCOST_HOST_DEVICE int step_b() const { return ny; }
};

/// Enqueues the same of such rows.
template <class T>
using TransposeRows = void (*)(const RowsOfRanks<T>&, int batch, const Stream&);

/// Those of a model.
using ModelLaunches = std::tuple<TransposeBlock<float>, TransposeBlock<double>>;
ModelLaunches openmp_launches();  // this process's OpenMP threads (openmp/ranks.cpp)
ModelLaunches cuda_launches();    // its GPU (cuda/ranks.cu)
ModelLaunches kokkos_launches();  // where this build's Kokkos runs (kokkos/ranks.cpp)
ModelLaunches kokkos_launches_by_the_book();

using DirectLaunches = std::tuple<TransposeRows<float>, TransposeRows<double>>;

/// redistribute, all_to_all and overlap of a model that runs in `place`.
Rungs rungs_over_ranks(const ModelLaunches& model, Place place);
/// direct, of a model that runs on GPUs.
Rung direct_rung(const DirectLaunches& model);

}  // namespace portcost::transpose
