// SPDX-License-Identifier: Apache-2.0
// Native GPU variants. A grid's y and z are limited to 65535, so tiles are launched in bands.
#include <cuda/ptx>
#include <type_traits>

#include "variants/shared/cuda_attributes.cuh"
#include "variants/shared/cuda_bands.cuh"
#include "variants/transpose/bodies.hpp"
#include "variants/transpose/cuda/whole_sectors.cuh"

namespace portcost::transpose {

namespace {

// Copies the matrix with the same threads and bytes, without exchanging rows and columns.
template <class T>
__global__ void __launch_bounds__(tile_threads) copy_kernel(Places<T> s, int line, int matrix) {
  const int m = matrix + blockIdx.z, i0 = (line + blockIdx.y) * tile, j0 = blockIdx.x * tile;
  T own[rows_a_thread] = {};
  load(own, s.row_of_a(m, 0), threadIdx.x, threadIdx.y, i0, j0, s.ny, s.nx);
  store(own, s.row_of_copy(m, 0), threadIdx.x, threadIdx.y, i0, j0, s.ny, s.nx);
}

// Reads along rows, and writes along columns.
template <class T>
__global__ void __launch_bounds__(tile_threads) naive_kernel(Places<T> s, int line, int matrix) {
  const int m = matrix + blockIdx.z, i0 = (line + blockIdx.y) * tile,
            j = blockIdx.x * tile + threadIdx.x;
  T own[rows_a_thread] = {};
  load(own, s.row_of_a(m, 0), threadIdx.x, threadIdx.y, i0, blockIdx.x * tile, s.ny, s.nx);
  if (j >= s.nx) return;
  T* const to = s.row_of_b(m, j);
#pragma unroll
  for (int r = 0; r < rows_a_thread; ++r) {
    const int i = i0 + threadIdx.y + r * tile_warps;
    if (i < s.ny) to[i] = own[r];
  }
}

// A tile goes through shared memory, so that both reads and writes are along rows.
template <int pitch, bool diagonal, class T>
__global__ void __launch_bounds__(tile_threads) tile_kernel(Places<T> s, int line, int matrix) {
  __shared__ T scratch[tile * pitch];
  const int fast = blockIdx.x, slow = line + blockIdx.y, m = matrix + blockIdx.z;
  const int i0 = (diagonal ? fast : slow) * tile;
  const int j0 = (diagonal ? diagonal_column(fast, slow, ceil_div(s.nx, tile)) : fast) * tile;
  T own[rows_a_thread] = {};
  load(own, s.row_of_a(m, 0), threadIdx.x, threadIdx.y, i0, j0, s.ny, s.nx);
  put_rows<pitch>(scratch, own, threadIdx.x, threadIdx.y);
  __syncthreads();
  get_columns<pitch>(own, scratch, threadIdx.x, threadIdx.y);
  store(own, s.row_of_b(m, 0), threadIdx.x, threadIdx.y, j0, i0, s.nx, s.ny);
}

// 16 bytes at a time: square blocks are transposed in registers.
template <class T>
__global__ void __launch_bounds__(WideShape<T>::threads)
    wide_kernel(Places<T> s, int line, int matrix) {
  using Shape = WideShape<T>;
  alignas(16) __shared__ T scratch[Shape::elements];
  const Tile at = Shape::Order::at(blockIdx.x, line + blockIdx.y);
  const int m = matrix + blockIdx.z, i0 = at.row * Shape::tile, j0 = at.col * Shape::tile;
  load_packs(s, scratch, threadIdx.x, m, i0, j0);
  __syncthreads();
  store_packs(s, scratch, threadIdx.x, m, i0, j0);
}

// A chunk of A, whole matrices, goes through shared memory to the same chunk of B.
template <class T>
__global__ void __launch_bounds__(SmallMatrices<T>::threads, SmallMatrices<T>::held)
    matrices_kernel(Places<T> s, SmallMatrices<T> small) {
  using Small = SmallMatrices<T>;
  __shared__ T scratch[Small::room];
  const std::uint64_t first = small.first(blockIdx.x);
  const int count = small.count(first);
  const T* const from = s.a + first;
  T* const to = s.b + first;
  load_chunk(small, scratch, from, threadIdx.x, count);
  __syncthreads();
  store_chunk(small, to, scratch, threadIdx.x, count);
}

// Exchanges a tile with the tile on the other side of the diagonal; a tile on the diagonal has no
// partner.
template <class T>
__global__ void __launch_bounds__(tile_threads) in_place_kernel(Places<T> s, int line, int matrix) {
  __shared__ T upper[tile * padded_pitch], lower[tile * padded_pitch];
  const PairGrid grid{ceil_div(s.nx, tile)};
  const Tile at = grid.at(static_cast<int>(blockIdx.x), line + static_cast<int>(blockIdx.y));
  const int i0 = at.row * tile, j0 = at.col * tile;
  T* const a = s.row_of_a(matrix + blockIdx.z, 0);
  T own[rows_a_thread] = {}, other[rows_a_thread] = {};
  const bool two = i0 != j0;
  load(own, a, threadIdx.x, threadIdx.y, i0, j0, s.nx, s.nx);
  if (two) load(other, a, threadIdx.x, threadIdx.y, j0, i0, s.nx, s.nx);
  put_rows<padded_pitch>(upper, own, threadIdx.x, threadIdx.y);
  if (two) put_rows<padded_pitch>(lower, other, threadIdx.x, threadIdx.y);
  __syncthreads();
  get_columns<padded_pitch>(own, two ? lower : upper, threadIdx.x, threadIdx.y);
  store(own, a, threadIdx.x, threadIdx.y, i0, j0, s.nx, s.nx);
  if (!two) return;
  get_columns<padded_pitch>(other, upper, threadIdx.x, threadIdx.y);
  store(other, a, threadIdx.x, threadIdx.y, j0, i0, s.nx, s.nx);
}

std::string_view no_bulk_copies(const Problem&) {
  return gpu_before_9() ? "it is for GPUs of compute capability 9.0 and later" : "";
}

constexpr dim3 tile_block(lanes, tile_warps);

constexpr auto copy = []<class T>(const Matrices<T>& s, const Stream& stream) {
  for_bands(ceil_div(s.nx, tile), ceil_div(s.ny, tile), s.batch, [&](dim3 grid, int line, int m) {
    copy_kernel<<<grid, tile_block, 0, stream.native()>>>(s, line, m);
  });
};

constexpr auto naive = []<class T>(const Matrices<T>& s, const Stream& stream) {
  for_bands(ceil_div(s.nx, tile), ceil_div(s.ny, tile), s.batch, [&](dim3 grid, int line, int m) {
    naive_kernel<<<grid, tile_block, 0, stream.native()>>>(s, line, m);
  });
};

template <int pitch>
constexpr auto tiled = [](const auto& s, const Stream& stream) {
  for_bands(ceil_div(s.nx, tile), ceil_div(s.ny, tile), s.batch, [&](dim3 grid, int line, int m) {
    tile_kernel<pitch, false><<<grid, tile_block, 0, stream.native()>>>(s, line, m);
  });
};

constexpr auto diagonal = []<class T>(const Matrices<T>& s, const Stream& stream) {
  for_bands(ceil_div(s.ny, tile), ceil_div(s.nx, tile), s.batch, [&](dim3 grid, int line, int m) {
    tile_kernel<padded_pitch, true><<<grid, tile_block, 0, stream.native()>>>(s, line, m);
  });
};

constexpr auto whole_sectors = []<class T>(const Matrices<T>& s, const Stream& stream) {
  launch_sectors<Places, T>(s, s.batch, stream);
};

constexpr auto wide = []<class T>(const Matrices<T>& s, const Stream& stream) {
  using Shape = WideShape<T>;
  if (!Shape::fits(s.nx, s.ny)) return whole_sectors(s, stream);
  using Order = typename Shape::Order;
  const int columns = ceil_div(s.nx, Shape::tile), lines = ceil_div(s.ny, Shape::tile);
  for_bands(Order::fast(columns, lines), Order::slow(columns, lines), s.batch,
            [&](dim3 grid, int line, int m) {
              wide_kernel<<<grid, Shape::threads, 0, stream.native()>>>(s, line, m);
            });
};

// ---- Native kernel of bulk_copies, for GPUs of compute capability 9.0 and up.

// Copies rows of a tile to shared memory, transposes squares there, and copies rows of the
// transposed tile to B. Addresses and lengths of rows are multiples of 16 bytes.
template <class T>
__global__ void __launch_bounds__(BulkShape<T>::threads)
    bulk_kernel(Places<T> s, int line, int matrix) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  namespace ptx = cuda::ptx;
  using Shape = BulkShape<T>;
  constexpr int pack = Shape::pack;
  alignas(16) __shared__ T scratch[Shape::elements];
  __shared__ std::uint64_t arrived;
  const int thread = threadIdx.x;
  const Tile at = Shape::Order::at(blockIdx.x, line + blockIdx.y);
  const int m = matrix + blockIdx.z, i0 = at.row * Shape::tile, j0 = at.col * Shape::tile;
  const int rows = min(Shape::tile, s.ny - i0), columns = min(Shape::tile, s.nx - j0);
  if (thread == 0) {
    ptx::mbarrier_init(&arrived, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (thread < rows) {
    const auto bytes = static_cast<std::uint32_t>(columns * sizeof(T));
    if (thread == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                     static_cast<std::uint32_t>(rows) * bytes);
    }
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, scratch + thread * Shape::pitch,
                       s.row_of_a(m, i0 + thread) + j0, bytes, &arrived);
  }
  while (!ptx::mbarrier_try_wait_parity(&arrived, 0)) {
  }
  const int i = Shape::row(thread), j = Shape::column(thread);
  alignas(16) T own[pack][pack];
#pragma unroll
  for (int r = 0; r < pack; ++r) copy_pack<pack>(own[r], scratch + (i + r) * Shape::pitch + j);
  __syncthreads();
#pragma unroll
  for (int c = 0; c < pack; ++c) {
    alignas(16) T column[pack];
#pragma unroll
    for (int r = 0; r < pack; ++r) column[r] = own[r][c];
    copy_pack<pack>(scratch + (j + c) * Shape::pitch + i, column);
  }
  ptx::fence_proxy_async(ptx::space_shared);  // the copies below read these stores
  __syncthreads();
  if (thread < columns) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, s.row_of_b(m, j0 + thread) + i0,
                       scratch + thread * Shape::pitch,
                       static_cast<std::uint32_t>(rows * sizeof(T)));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());  // scratch is freed when the block ends
  }
#endif
}

constexpr auto bulk_copies = []<class T>(const Matrices<T>& s, const Stream& stream) {
  using Shape = BulkShape<T>;
  if (!WideShape<T>::fits(s.nx, s.ny)) return whole_sectors(s, stream);
  using Order = typename Shape::Order;
  const int columns = ceil_div(s.nx, Shape::tile), lines = ceil_div(s.ny, Shape::tile);
  for_bands(Order::fast(columns, lines), Order::slow(columns, lines), s.batch,
            [&](dim3 grid, int line, int m) {
              bulk_kernel<<<grid, Shape::threads, 0, stream.native()>>>(s, line, m);
            });
};

// ---- Native kernels of registers and in_place_registers.

// Whole squares, or elements.
template <bool whole, class T>
__global__ void __launch_bounds__(SquareShape<T>::threads)
    squares_kernel(Places<T> s, int line, int matrix) {
  using Shape = std::conditional_t<whole, SquareShape<T>, SquareShape<T, 1>>;
  const int thread = threadIdx.x, m = matrix + blockIdx.z;
  const int i = (line + blockIdx.y) * Shape::tile_rows + Shape::row(thread);
  const int j = blockIdx.x * Shape::tile_columns + Shape::column(thread);
  if (i >= s.ny || j >= s.nx) return;
  if constexpr (whole) {
    transpose_square(s, m, i, j);
  } else {
    transpose_elements(s, m, i, j);
  }
}

// Eight blocks a multiprocessor: 64 registers a thread, as many as Kokkos's range has.
template <bool whole, class T>
__global__ void __launch_bounds__(SquareShape<T>::threads, 8)
    squares_in_place_kernel(Places<T> s, int line, int matrix) {
  using Shape = std::conditional_t<whole, SquareShape<T>, SquareShape<T, 1>>;
  const int thread = threadIdx.x, n = s.nx;
  const Tile at = Shape::pairs(n).at(blockIdx.x / Shape::parts, line + blockIdx.y);
  const int i = at.row * Shape::tile_rows + Shape::row(thread);
  const int j = at.col * Shape::tile_rows + blockIdx.x % Shape::parts * Shape::tile_columns +
                Shape::column(thread);
  if (i > j || j >= n) return;
  T* const a = s.row_of_a(matrix + blockIdx.z, 0);
  if constexpr (whole) {
    exchange_squares(a, n, i, j);
  } else {
    exchange_elements(a, n, i, j);
  }
}

template <class Shape, class T>
void squares(void (*kernel)(Places<T>, int, int), const Matrices<T>& s, const Stream& stream) {
  for_bands(ceil_div(s.nx, Shape::tile_columns), ceil_div(s.ny, Shape::tile_rows), s.batch,
            [&](dim3 grid, int line, int m) {
              kernel<<<grid, Shape::threads, 0, stream.native()>>>(s, line, m);
            });
}
constexpr auto registers = []<class T>(const Matrices<T>& s, const Stream& stream) {
  if (SquareShape<T>::fits(s.nx, s.ny)) {
    squares<SquareShape<T>>(squares_kernel<true, T>, s, stream);
  } else {
    squares<SquareShape<T, 1>>(squares_kernel<false, T>, s, stream);
  }
};

constexpr auto whole_matrices = []<class T>(const Matrices<T>& s, const Stream& stream) {
  const SmallMatrices<T> small(s);
  matrices_kernel<<<static_cast<unsigned>(small.teams()), SmallMatrices<T>::threads, 0,
                    stream.native()>>>(s, small);
  cuda_check(cudaGetLastError());
};

constexpr auto in_place = []<class T>(const Matrices<T>& s, const Stream& stream) {
  const PairGrid pairs{ceil_div(s.nx, tile)};
  for_bands(pairs.columns(), pairs.lines(), s.batch, [&](dim3 grid, int line, int m) {
    in_place_kernel<<<grid, tile_block, 0, stream.native()>>>(s, line, m);
  });
  *s.answer = s.a;
};

template <bool whole, class T>
void squares_in_place(const Matrices<T>& s, const Stream& stream) {
  using Shape = std::conditional_t<whole, SquareShape<T>, SquareShape<T, 1>>;
  const PairGrid pairs = Shape::pairs(s.nx);
  for_bands(
      Shape::parts * pairs.columns(), pairs.lines(), s.batch, [&](dim3 grid, int line, int m) {
        squares_in_place_kernel<whole, T><<<grid, Shape::threads, 0, stream.native()>>>(s, line, m);
      });
  *s.answer = s.a;
}
constexpr auto in_place_registers = []<class T>(const Matrices<T>& s, const Stream& stream) {
  if (SquareShape<T>::fits(s.nx, s.ny)) return squares_in_place<true>(s, stream);
  squares_in_place<false>(s, stream);
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "naive", naive),
          rung(works, "coalesced_tile", tiled<bare_pitch>),
          rung(works, "padded_tile", tiled<padded_pitch>),
          rung(works, "diagonal", diagonal),
          rung(works, "whole_sectors", whole_sectors),
          rung(works, "wide", wide),
          rung(works, "bulk_copies", bulk_copies).unless(no_bulk_copies),
          rung(works, "registers", registers),
          rung(works, "whole_matrices", whole_matrices).unless(not_small),
          rung(works, "in_place", in_place).unless(not_in_place),
          rung(works, "in_place_registers", in_place_registers).unless(not_in_place),
          rung(works, "copy", copy)};
}

}  // namespace portcost::transpose
