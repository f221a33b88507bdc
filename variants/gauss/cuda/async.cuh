// SPDX-License-Identifier: Apache-2.0
// Native GPU kernels of async_copies and tensor_cores: trailing updates whose slices are prefetched
// to shared memory by asynchronous copies, which bypass the registers.
#pragma once

#include "variants/gauss/cuda/tiles.cuh"

namespace portcost::gauss {

// Slices that are in use or being copied, and the bytes of one copy.
inline constexpr int stages = 3, bytes_a_copy = 16;

// async_copies: smaller tiles in f64, so that more of them fit on a multiprocessor.
template <class T>
using AsyncShape = std::conditional_t<sizeof(T) == 4, TileShape<128, 8, 8, 16, true, 8, 2>,
                                      TileShape<64, 8, 8, 16, true, 8, 4>>;
template <class Shape, class T>
inline constexpr int async_bytes = stages*(Shape::left_slice + Shape::right_slice) *
                                   static_cast<int>(sizeof(T));

// A region in smaller tiles: each of its tiles becomes `times` by `times` tiles.
inline Region in_smaller(Region region, int times) {
  for (LineRange* range : {&region.rows, &region.cols, &region.more_rows, &region.more_cols}) {
    range->first *= times;
    range->count *= times;
  }
  return region;
}

// For each slice in order, calls copy(place), which begins the copies of a later slice, and
// take(place), when the slice's own copies have ended. The places are used in turn.
template <class Copy, class Take>
__device__ __forceinline__ void for_steps(int steps, const Copy& copy, const Take& take) {
  int place = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    if (step + stages - 1 < steps) copy(place == 0 ? stages - 1 : place - 1);
    __pipeline_commit();  // an empty commit counts too, so that the wait's count fits
    take(place);
    place = place + 1 == stages ? 0 : place + 1;
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

// A thread's copies of a slice of `high` rows of `wide` elements, whose rows lie `pitch` apart in
// shared memory. The next slice lies below the slice (`down`), or beside it.
template <class T, int threads, int high, int wide, int pitch, bool down>
class SliceCopies {
 public:
  // from: element (0, 0) of the first slice.
  __device__ SliceCopies(const System<T>& s, const T* from)
      : from_(from + s.offset(row()) + column()) {}
  __device__ void operator()(const System<T>& s, T* to) {
    T* const place = to + row() * pitch + column();
#pragma unroll
    for (int i = 0; i < high; i += rows) {
      __pipeline_memcpy_async(place + i * pitch, from_ + s.offset(i), bytes_a_copy);
    }
    from_ += down ? s.offset(high) : wide;
  }

 private:
  static constexpr int pack = bytes_a_copy / static_cast<int>(sizeof(T)), packs = wide / pack;
  static constexpr int rows = threads / packs;  // that all threads copy at a time
  static_assert(threads % packs == 0 && high % rows == 0);
  __device__ static int row() { return static_cast<int>(threadIdx.x) / packs; }
  __device__ static int column() { return static_cast<int>(threadIdx.x) % packs * pack; }

  const T* from_;
};

// As product_kernel, but reads the multipliers from their transposed copy: its row m holds the
// multipliers of pivot m of the region, so that both sides are copied in packs.
template <class Shape, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::teams)
    async_kernel(System<T> s, Region region, const T* multipliers) {
  constexpr int tile = Shape::tile, slice = Shape::slice;
  extern __shared__ double2 dynamic[];  // aligned for copies
  if (s.stopped()) return;
  T* const scratch = reinterpret_cast<T*>(dynamic);
  const auto left = [&](int place) { return scratch + place * Shape::left_slice; };
  const auto right = [&](int place) {
    return scratch + stages * Shape::left_slice + place * Shape::right_slice;
  };
  const Tile at = region.at(blockIdx.x);
  const int steps = (region.columns.end - region.columns.first) / slice;
  SliceCopies<T, Shape::threads, slice, tile, Shape::left_pitch, true> left_copies(
      s, multipliers + at.row * tile);
  SliceCopies<T, Shape::threads, slice, tile, tile, true> right_copies(
      s, s.row(region.columns.first) + at.col * tile);
  const auto copy = [&](int place) {
    left_copies(s, left(place));
    right_copies(s, right(place));
  };
  const int x = Shape::x_of(threadIdx.x), y = Shape::y_of(threadIdx.x);
  begin_steps(steps, copy);
  T own[Shape::rows][Shape::cols];
  load_tile<Shape>(own, s, at, x, y);
  for_steps(steps, copy, [&](int place) {
    for_slice<Shape, slice>(x, y, left(place), right(place),
                            [&](int, const T* multipliers, const T* from) {
#pragma unroll
                              for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
                                for (int c = 0; c < Shape::cols; ++c) {
                                  own[r][c] = eliminate(own[r][c], multipliers[r], from[c]);
                                }
                              }
                            });
  });
  store_tile<Shape>(own, s, at, x, y);
}

// tensor_cores: tiles of 64, four warps a tile; a warp has a quarter of the tile in fragments of
// the f64 instruction m16n8k8. Slices lie as in the matrix, with rows padded by four elements, so
// that a warp has few bank conflicts.
struct TensorShape {
  static constexpr int tile = 64, slice = 16, warps = 4, threads = warps * lanes, teams = 3;
  static constexpr int part = tile / 2;  // a warp's rows and columns
  static constexpr int high = 16, wide = 8, deep = 8;
  static constexpr int left_pitch = slice + 4, right_pitch = tile + 4;
  static constexpr int left_slice = tile * left_pitch, right_slice = slice * right_pitch;
  static constexpr int bytes =
      stages * (left_slice + right_slice) * static_cast<int>(sizeof(double));
};

// sum += left * right for one fragment of each. Thread 4 g + q of a warp has, of `left` (16 x 8),
// rows g, g + 8 of column q, then of q + 4; of `right` (8 x 8), rows q, q + 4 of column g; of
// `sum`, columns 2 q, 2 q + 1 of row g, then of g + 8 (PTX ISA 9.0, mma.m16n8k8 with .f64).
__device__ __forceinline__ void multiply_add(double (&sum)[4], const double (&left)[4],
                                             const double (&right)[2]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
      : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(right[0]), "d"(right[1]));
#else
  __trap();  // why_not (cuda.cu) excludes older GPUs
#endif
}

// As product_kernel, by tensor cores. They add, so the registers hold the negated elements.
static __global__ void __launch_bounds__(TensorShape::threads, TensorShape::teams)
    tensor_kernel(System<double> s, Region region) {
  using Shape = TensorShape;
  constexpr int tile = Shape::tile, slice = Shape::slice, part = Shape::part;
  extern __shared__ double2 dynamic[];  // aligned for copies
  if (s.stopped()) return;
  double* const scratch = reinterpret_cast<double*>(dynamic);
  const auto left = [&](int place) { return scratch + place * Shape::left_slice; };
  const auto right = [&](int place) {
    return scratch + stages * Shape::left_slice + place * Shape::right_slice;
  };
  const Tile at = region.at(blockIdx.x);
  const int steps = (region.columns.end - region.columns.first) / slice;
  SliceCopies<double, Shape::threads, tile, slice, Shape::left_pitch, false> left_copies(
      s, s.row(at.row * tile) + region.columns.first);
  SliceCopies<double, Shape::threads, slice, tile, Shape::right_pitch, true> right_copies(
      s, s.row(region.columns.first) + at.col * tile);
  const auto copy = [&](int place) {
    left_copies(s, left(place));
    right_copies(s, right(place));
  };
  const int warp = threadIdx.x / lanes, g = threadIdx.x % lanes / 4, q = threadIdx.x % 4;
  const int row = warp / 2 * part, col = warp % 2 * part;
  constexpr int down = part / Shape::high, across = part / Shape::wide;
  double sums[down][across][4];
  // Calls f(elements 2 q and 2 q + 1 of one of the thread's rows, their place in the matrix).
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
  for_steps(steps, copy, [&](int place) {
#pragma unroll
    for (int m = 0; m < slice; m += Shape::deep) {
      double factors[down][4], from[across][2];
#pragma unroll
      for (int r = 0; r < down; ++r) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          factors[r][e] = left(place)[(row + r * Shape::high + e % 2 * 8 + g) * Shape::left_pitch +
                                      m + e / 2 * 4 + q];
        }
      }
#pragma unroll
      for (int c = 0; c < across; ++c) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          from[c][e] =
              right(place)[(m + e * 4 + q) * Shape::right_pitch + col + c * Shape::wide + g];
        }
      }
#pragma unroll
      for (int r = 0; r < down; ++r) {
#pragma unroll
        for (int c = 0; c < across; ++c) multiply_add(sums[r][c], factors[r], from[c]);
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
