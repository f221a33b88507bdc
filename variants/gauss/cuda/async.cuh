// SPDX-License-Identifier: Apache-2.0
// Native GPU kernels of async_copies and tensor_cores: products of tiles whose slices are copied
// past the registers, several ahead.
#pragma once

#include "variants/gauss/cuda/tiles.cuh"

namespace portcost::gauss {

// Slices on their way or in use, and the bytes of one copy.
inline constexpr int stages = 3, bytes_a_copy = 16;

// async_copies: small tiles in f64, of which more are in a multiprocessor.
template <class T>
using AsyncShape = std::conditional_t<sizeof(T) == 4, TileShape<128, 8, 8, 16, true, 8, 2>,
                                      TileShape<64, 8, 8, 16, true, 8, 4>>;
template <class Shape, class T>
inline constexpr int async_bytes = stages*(Shape::left_slice + Shape::right_slice) *
                                   static_cast<int>(sizeof(T));

// A region in tiles of which `times` make one of its own, across and down.
inline Region in_smaller(Region region, int times) {
  for (LineRange* range : {&region.rows, &region.cols, &region.more_rows, &region.more_cols}) {
    range->first *= times;
    range->count *= times;
  }
  return region;
}

// Calls copy(step), which begins the copies of a slice, and take(step), when they have ended, for
// all steps in order.
template <class Copy, class Take>
__device__ __forceinline__ void for_steps(int steps, const Copy& copy, const Take& take) {
  const auto begin = [&](int step) {
    if (step < steps) copy(step);
    __pipeline_commit();  // of nothing, too, so that they can be counted
  };
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    begin(step + stages - 1);
    take(step);
  }
}
template <class Copy>
__device__ __forceinline__ void begin_steps(int steps, const Copy& copy) {
#pragma unroll
  for (int step = 0; step < stages - 1; ++step) {
    if (step < steps) copy(step);
    __pipeline_commit();
  }
}

// As product_kernel. Of the multipliers a second copy is read, whose row m has the region's column
// m, so that both sides are copied in packs.
template <class Shape, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams)
    async_kernel(System<T> s, Region region, const T* multipliers) {
  constexpr int tile = Shape::tile, slice = Shape::slice;
  constexpr int wide = bytes_a_copy / static_cast<int>(sizeof(T));
  extern __shared__ double2 dynamic[];  // aligned for copies
  if (s.stopped()) return;
  T* const scratch = reinterpret_cast<T*>(dynamic);
  const auto left = [&](int step) { return scratch + step % stages * Shape::left_slice; };
  const auto right = [&](int step) {
    return scratch + stages * Shape::left_slice + step % stages * Shape::right_slice;
  };
  const Tile at = region.at(blockIdx.x);
  const int steps = (region.columns.end - region.columns.first) / slice;
  const auto copy = [&](int step) {
    const T* const left_from = multipliers + s.offset(step * slice) + at.row * tile;
    const T* const right_from = s.row(region.columns.first + step * slice) + at.col * tile;
#pragma unroll
    for (int i = threadIdx.x * wide; i < tile * slice; i += Shape::threads * wide) {
      const int m = i / tile, e = i % tile;
      __pipeline_memcpy_async(left(step) + m * Shape::left_pitch + e, left_from + s.offset(m) + e,
                              bytes_a_copy);
      __pipeline_memcpy_async(right(step) + i, right_from + s.offset(m) + e, bytes_a_copy);
    }
  };
  const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x);
  begin_steps(steps, copy);
  T own[Shape::rows][Shape::cols];
  load_tile<Shape>(own, s, at, x, y);
  for_steps(steps, copy, [&](int step) {
    for_slice<Shape, slice>(x, y, left(step), right(step), [&](int, const T* times, const T* from) {
#pragma unroll
      for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
        for (int c = 0; c < Shape::cols; ++c) {
          own[r][c] = eliminate(own[r][c], times[r], from[c]);
        }
      }
    });
  });
  store_tile<Shape>(own, s, at, x, y);
}

// tensor_cores: tiles of 64 by four warps, of which each has a quarter in fragments of the f64
// instruction m16n8k8. Slices lie as in the matrix, their rows four elements further apart, so that
// a warp's threads meet in few banks.
struct TensorShape {
  static constexpr int tile = 64, slice = 16, warps = 4, threads = warps * lanes, teams = 3;
  static constexpr int part = tile / 2;  // a warp's rows and columns
  static constexpr int high = 16, wide = 8, deep = 8;
  static constexpr int left_pitch = slice + 4, right_pitch = tile + 4;
  static constexpr int left_slice = tile * left_pitch, right_slice = slice * right_pitch;
  static constexpr int bytes =
      stages * (left_slice + right_slice) * static_cast<int>(sizeof(double));
};

// sum += left * right for one fragment of each. Thread 4 g + q of a warp has of `left` (16 x 8)
// rows g, g + 8 of column q, then of q + 4; of `right` (8 x 8) rows q, q + 4 of column g; of `sum`
// columns 2 q, 2 q + 1 of row g, then of g + 8 (PTX ISA 9.0, mma.m16n8k8 with .f64).
__device__ __forceinline__ void multiply_add(double (&sum)[4], const double (&left)[4],
                                             const double (&right)[2]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(right[0]), "d"(right[1]));
#else
  __trap();  // why_not (cuda.cu) keeps it from older GPUs
#endif
}

// As product_kernel, by tensor cores, which add: so elements are kept negated meanwhile.
static __global__ void __launch_bounds__(TensorShape::threads, TensorShape::teams)
    tensor_kernel(System<double> s, Region region) {
  using Shape = TensorShape;
  constexpr int tile = Shape::tile, slice = Shape::slice, part = Shape::part;
  constexpr int pack = bytes_a_copy / static_cast<int>(sizeof(double));
  extern __shared__ double2 dynamic[];  // aligned for copies
  if (s.stopped()) return;
  double* const scratch = reinterpret_cast<double*>(dynamic);
  const auto left = [&](int step) { return scratch + step % stages * Shape::left_slice; };
  const auto right = [&](int step) {
    return scratch + stages * Shape::left_slice + step % stages * Shape::right_slice;
  };
  const Tile at = region.at(blockIdx.x);
  const int steps = (region.columns.end - region.columns.first) / slice;
  const auto copy = [&](int step) {
    const int via = region.columns.first + step * slice;
#pragma unroll
    for (int i = threadIdx.x * pack; i < tile * slice; i += Shape::threads * pack) {
      const int r = i / slice, m = i % slice, below = i / tile, c = i % tile;
      __pipeline_memcpy_async(left(step) + r * Shape::left_pitch + m,
                              s.row(at.row * tile + r) + via + m, bytes_a_copy);
      __pipeline_memcpy_async(right(step) + below * Shape::right_pitch + c,
                              s.row(via + below) + at.col * tile + c, bytes_a_copy);
    }
  };
  const int warp = threadIdx.x / lanes, g = threadIdx.x % lanes / 4, q = threadIdx.x % 4;
  const int row = warp / 2 * part, col = warp % 2 * part;
  constexpr int down = part / Shape::high, across = part / Shape::wide;
  double sums[down][across][4];
  // f(elements 2 q and 2 q + 1 of one of the thread's rows, where they lie in the matrix)
  const auto for_pairs = [&](const auto& f) {
#pragma unroll
    for (int r = 0; r < down; ++r) {
#pragma unroll
      for (int c = 0; c < across; ++c) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          f(sums[r][c] + 2 * half, s.row(at.row * tile + row + r * Shape::high + 8 * half + g) +
                                       at.col * tile + col + c * Shape::wide + 2 * q);
        }
      }
    }
  };
  begin_steps(steps, copy);
  for_pairs([](double* sum, const double* from) {
    alignas(bytes_a_copy) double pair[2];
    copy_pack<2>(pair, from);
    sum[0] = -pair[0];
    sum[1] = -pair[1];
  });
  for_steps(steps, copy, [&](int step) {
#pragma unroll
    for (int m = 0; m < slice; m += Shape::deep) {
      double times[down][4], from[across][2];
#pragma unroll
      for (int r = 0; r < down; ++r) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          times[r][e] = left(step)[(row + r * Shape::high + e % 2 * 8 + g) * Shape::left_pitch + m +
                                   e / 2 * 4 + q];
        }
      }
#pragma unroll
      for (int c = 0; c < across; ++c) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          from[c][e] =
              right(step)[(m + e * 4 + q) * Shape::right_pitch + col + c * Shape::wide + g];
        }
      }
#pragma unroll
      for (int r = 0; r < down; ++r) {
#pragma unroll
        for (int c = 0; c < across; ++c) multiply_add(sums[r][c], times[r], from[c]);
      }
    }
  });
  for_pairs([](const double* sum, double* to) {
    alignas(bytes_a_copy) const double pair[2] = {-sum[0], -sum[1]};
    copy_pack<2>(to, pair);
  });
}

template <class T>
void launch_async(const System<T>& s, const Region& region, const T* multipliers,
                  cudaStream_t stream) {
  using Shape = AsyncShape<T>;
  if (region.count() == 0) return;
  const Region all = in_smaller(region, panel_tile / Shape::tile);
  constexpr int bytes = async_bytes<Shape, T>;
  cuda_check(cudaFuncSetAttribute(async_kernel<Shape, T>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  async_kernel<Shape>
      <<<static_cast<unsigned>(all.count()), Shape::threads, bytes, stream>>>(s, all, multipliers);
  cuda_check(cudaGetLastError());
}
inline void launch_tensor(const System<double>& s, const Region& region, cudaStream_t stream) {
  if (region.count() == 0) return;
  const Region all = in_smaller(region, panel_tile / TensorShape::tile);
  cuda_check(cudaFuncSetAttribute(tensor_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  TensorShape::bytes));
  tensor_kernel<<<static_cast<unsigned>(all.count()), TensorShape::threads, TensorShape::bytes,
                  stream>>>(s, all);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::gauss
