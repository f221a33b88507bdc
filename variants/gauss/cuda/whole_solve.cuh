// SPDX-License-Identifier: Apache-2.0
// Native GPU kernel of whole_tile: solving for the tiles of a closed tile's cross, with all that is
// needed of the closed tile in shared memory.
//
// 32 lines lie side by side there, element e of all of them in row e, so that columns beside the
// tile and rows below it are alike. Eight warps have them: four on the chain, four that take
// products which no one waits for yet.
#pragma once

#include "variants/gauss/cuda/whole_tile.cuh"

namespace portcost::gauss {

// `count` elements of 32 lines, from element `first` on, by one warp of 8 x 4 lanes.
template <int count, class T>
class LineBlock {
 public:
  using W = Whole<T>;
  static constexpr int wide = W::wide, pitch = W::pitch, line_pitch = W::line_pitch;

  __device__ __forceinline__ LineBlock(T* lines, int first)
      : element_(first + threadIdx.x % lanes / 8 * count),
        lines_(lines + threadIdx.x % 8 * wide),
        to_(lines_ + element_ * line_pitch) {}

  // Less the products over elements m .. m + 31, element e taking triangle[m][e] of m.
  __device__ __forceinline__ void take(const T* triangle, int m) const {
    alignas(16) T own[count][4];
#pragma unroll
    for (int i = 0; i < count; ++i) {
#pragma unroll
      for (int c = 0; c < 4; c += wide) copy_pack<wide>(own[i] + c, to_ + i * line_pitch + 8 * c);
    }
    constexpr int some = count < wide ? count : wide;
#pragma unroll 8
    for (int end = m + lanes; m < end; ++m) {
      alignas(16) T times[count], from[4];
#pragma unroll
      for (int i = 0; i < count; i += some) {
        copy_pack<some>(times + i, triangle + m * pitch + element_ + i);
      }
#pragma unroll
      for (int c = 0; c < 4; c += wide) copy_pack<wide>(from + c, lines_ + m * line_pitch + 8 * c);
#pragma unroll
      for (int i = 0; i < count; ++i) {
#pragma unroll
        for (int c = 0; c < 4; ++c) own[i][c] = eliminate(own[i][c], times[i], from[c]);
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
#pragma unroll
      for (int c = 0; c < 4; c += wide) copy_pack<wide>(to_ + i * line_pitch + 8 * c, own[i] + c);
    }
  }

 private:
  int element_;
  T *lines_, *to_;
};

// 32 lines to shared memory or back. Of rows below a warp takes 8 elements of 4 rows: whole
// sectors, and no two lanes in one bank.
template <bool beside, class T, class F>
__device__ __forceinline__ void each_element(const F& f) {
  using W = Whole<T>;
  if constexpr (beside) {
    constexpr int packs = W::corner / W::wide;
#pragma unroll 4
    for (int i = threadIdx.x; i < W::tile * packs; i += W::solve_threads) {
      f(i / packs, i % packs * W::wide);
    }
  } else {
    constexpr int across = W::tile / 8;
#pragma unroll 16
    for (int i = 0; i < W::tile * W::corner / W::solve_threads; ++i) {
      const int at = (threadIdx.x + i * W::solve_threads) / lanes;
      f(at % across * 8 + threadIdx.x % 8, at / across * 4 + threadIdx.x % lanes / 8);
    }
  }
}

// The cross of tile (k, k), 32 lines a block. left: what closing has left. transposed: as in
// solve_kernel.
template <bool beside, class T>
__device__ __forceinline__ void solve_whole(const System<T>& s, Tile at, int k, int part,
                                            const T* left, T* transposed, T* shared) {
  using W = Whole<T>;
  constexpr int corner = W::corner, pitch = W::pitch, wide = W::wide, tile = W::tile;
  T *const inverse = shared + W::solve_inverse, *const lines = shared + W::solve_lines_at;
  const int first = k * tile, line = part * corner, warp = threadIdx.x / lanes;
  // The line's element e: to[e * apart] beside the tile, to[e] of row `line` below it.
  T* const to = beside ? s.row(first) + at.col * tile + line : s.row(at.row * tile + line) + first;
  each_element<beside, T>([&](int e, int c) {
    T* const place = lines + e * W::line_pitch + c;
    if constexpr (beside) {
      __pipeline_memcpy_async(place, to + s.offset(e) + c, 16);
    } else {
      *place = to[s.offset(c) + e];
    }
  });
  if (threadIdx.x < tile)
    inverse[threadIdx.x] = beside ? T(1) : left[Beside::inverse + threadIdx.x];
#pragma unroll
  for (int chunk = 0; chunk < W::turns; ++chunk) {
    const int via = chunk * corner, packs = (tile - via) / wide;
    for (int i = threadIdx.x; i < corner * packs; i += W::solve_threads) {
      const int m = via + i / packs, e = via + i % packs * wide;
      const T* const from =
          beside ? left + Beside::lower + m * tile + e : s.row(first + m) + first + e;
      __pipeline_memcpy_async(shared + m * pitch + e, from, 16);
    }
    __pipeline_commit();
  }
  __pipeline_wait_prior(W::turns - 1);
  __syncthreads();
#pragma unroll 1
  for (int chunk = 0; chunk < W::turns; ++chunk) {
    const int via = chunk * corner, before = via - corner;
    if (chunk > 0) {
      if (warp < 4) LineBlock<2, T>(lines, via + 8 * warp).take(shared, before);
      __syncthreads();
    }
    if (warp == 0) {
      T own[corner];
      T* const place = lines + via * W::line_pitch + threadIdx.x;
#pragma unroll
      for (int e = 0; e < corner; ++e) own[e] = place[e * W::line_pitch];
      close_whole_line(own, shared + via * (pitch + 1), inverse + via);
#pragma unroll
      for (int e = 0; e < corner; ++e) place[e * W::line_pitch] = own[e];
    } else if (chunk > 0 && warp >= 4) {
      const int mine = via + corner + 16 * (warp - 4);
      if (mine < tile) LineBlock<4, T>(lines, mine).take(shared, before);
    }
    if (chunk == 0) __pipeline_wait_prior(0);
    __syncthreads();
  }
  each_element<beside, T>([&](int e, int c) {
    const T* const place = lines + e * W::line_pitch + c;
    if constexpr (beside) {
      copy_pack<wide>(to + s.offset(e) + c, place);
    } else {
      to[s.offset(c) + e] = *place;
    }
  });
  if (beside || transposed == nullptr) return;
  each_element<true, T>([&](int e, int c) {
    copy_pack<wide>(transposed + s.offset(e) + at.row * tile + line + c,
                    lines + e * W::line_pitch + c);
  });
}

template <class T>
__global__ void __launch_bounds__(Whole<T>::solve_threads, 1)
    solve_whole_kernel(System<T> s, Region region, int k, const T* left, T* transposed) {
  extern __shared__ double2 dynamic[];
  if (s.stopped()) return;
  constexpr int parts = Whole<T>::tile / Whole<T>::corner;
  const Tile at = region.at(blockIdx.x / parts);
  const int part = blockIdx.x % parts;
  T* const shared = reinterpret_cast<T*>(dynamic);
  if (at.row == k) {
    solve_whole<true>(s, at, k, part, left, transposed, shared);
  } else {
    solve_whole<false>(s, at, k, part, left, transposed, shared);
  }
}

template <class T>
void launch_solve_whole(const System<T>& s, int k, const Region& region, const T* left,
                        T* transposed, cudaStream_t stream) {
  using W = Whole<T>;
  if (region.count() == 0) return;
  constexpr int bytes = W::bytes(W::solve_size);
  cuda_check(cudaFuncSetAttribute(solve_whole_kernel<T>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const auto blocks = static_cast<unsigned>(region.count() * (W::tile / W::corner));
  solve_whole_kernel<<<blocks, W::solve_threads, bytes, stream>>>(s, region, k, left, transposed);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::gauss
