// SPDX-License-Identifier: Apache-2.0
// Portable steps over processes: Kokkos inside MPI. The kernel of whole_sectors transposes blocks
// on a GPU, the kernel of blocked on the cores of a process.
#include "variants/transpose/kokkos/book.hpp"

#include <type_traits>

#include "src/support/error.hpp"
#include "variants/transpose/kokkos/blocks.hpp"
#include "variants/transpose/ranks_launches.hpp"

namespace portcost::transpose {

namespace {

constexpr const char* label = "portcost::transpose::block";

struct TunedSectors {
  template <template <class> class At, class T>
  static void transpose_all(const At<T>& s, int batch, const Stream& on) {
    launch_sectors<At>(label, s, batch, on);
  }
  template <class T>
  static void transpose(const Submatrix<T>& s, int batch, const Stream& on) {
    transpose_all(s, batch, on);
  }
};
struct TunedGroups {
  template <class T>
  static void transpose(const Submatrix<T>& s, int batch, const Stream& on) {
    launch_grid<BlockedOf<Submatrix, T>>(label, s, batch, on, ceil_div(s.ny, group),
                                         ceil_div(s.nx, group));
  }
};

// Blocks of matrices, whose rows and planes are those of the matrices.
template <class T>
book::Batch<T> block_of(T* first, int batch, int pitch, std::int64_t plane) {
  require(plane % pitch == 0, "a matrix has a part of a row");
  return book::Batch<T>(first, static_cast<std::size_t>(batch),
                        static_cast<std::size_t>(plane / pitch), static_cast<std::size_t>(pitch));
}
// Rows that several ranks own.
template <class T>
book::SplitBatch<T> split_of(const RowsWithRanks<T>& rows, int batch) {
  book::SplitBatch<T> result{{}, batch, rows.share, rows.rest, rows.last, rows.pitch};
  for (int rank = 0; rank <= rows.last; ++rank) result.first[rank] = rows.begin[rank];
  return result;
}

struct BookSectors {
  template <class T>
  static void transpose(const Submatrix<T>& s, int batch, const Stream& on) {
    launch<T, true>(s, block_of(s.a, batch, s.lda, s.stride_a),
                    block_of(s.b, batch, s.ldb, s.stride_b), batch, s.b, on);
  }
  template <template <class> class At, class T>
  static void transpose_all(const At<T>& s, int batch, const Stream& on) {
    if constexpr (At<T>::down) {  // RowsOfRanks
      launch<T, true>(s, split_of(s.a, batch), block_of(s.b, batch, s.ny, s.stride_b), batch, s.b,
                      on);
    } else {  // RowsToRanks
      launch<T, false>(s, block_of(s.a, batch, s.nx, s.stride_a), split_of(s.b, batch), batch,
                       s.b.begin[0], on);
    }
  }

 private:
  template <class T, bool down, class At, class From, class To>
  static void launch(const At& s, const From& a, const To& b, int batch, const T* first,
                     const Stream& on) {
    using Shape = SectorShape<T>;
    book::whole_sectors<T, scratch_level, down>(kokkos_space(on), team_size(8), a, b,
                                                book::Size{batch, s.ny, s.nx}, Shape::past(first),
                                                Shape::most_past(s.step_b()));
  }
};
struct BookGroups {
  template <class T>
  static void transpose(const Submatrix<T>& s, int batch, const Stream& on) {
    book::blocked(kokkos_space(on), team_size(8), block_of(s.a, batch, s.lda, s.stride_a),
                  block_of(s.b, batch, s.ldb, s.stride_b), book::Size{batch, s.ny, s.nx});
  }
};

using TunedBlocks = ShapeIn<kokkos_shapes, TunedSectors, TunedGroups>;
using BookBlocks = ShapeIn<kokkos_shapes, BookSectors, BookGroups>;

template <class Kernels>
ModelLaunches launches() {
  return {Kernels::template transpose<float>, Kernels::template transpose<double>};
}

// Only GPUs' loads and stores reach other ranks' memory.
struct OnGpu : std::integral_constant<Place, Place::device> {
  template <class Kernels>
  static void add_direct(Rungs& rungs) {
    rungs = joined(
        {std::move(rungs), direct_rungs({Kernels::template transpose_all<RowsOfRanks, float>,
                                         Kernels::template transpose_all<RowsOfRanks, double>},
                                        {Kernels::template transpose_all<RowsToRanks, float>,
                                         Kernels::template transpose_all<RowsToRanks, double>})});
  }
};
struct OnCores : std::integral_constant<Place, Place::host> {
  template <class>
  static void add_direct(Rungs&) {}
};
using Processors = ShapeIn<kokkos_place(), OnGpu, OnCores>;

template <class Kernels>
Rungs steps(Way way) {
  Rungs result = rungs_over_ranks(launches<Kernels>(), Processors::value);
  Processors::add_direct<Kernels>(result);
  for (Rung& one : result) one.way = way;
  return result;
}

}  // namespace

ModelLaunches kokkos_launches() { return launches<TunedBlocks>(); }
ModelLaunches kokkos_launches_by_the_book() { return launches<BookBlocks>(); }

Rungs kokkos_ranks_rungs() {
  return joined({steps<TunedBlocks>(Way::tuned), steps<BookBlocks>(Way::book)});
}

}  // namespace portcost::transpose
