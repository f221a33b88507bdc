// SPDX-License-Identifier: Apache-2.0
// Native GPU kernel of whole_tile: solving for the pivot tile's cross, with all the data needed of
// the pivot tile in shared memory.
//
// 32 lines lie side by side in shared memory, element e of all of them in row e, so that columns
// beside the pivot tile and rows below it are alike. Eight warps share the lines: four are on the
// critical path, four do updates that nothing waits for yet.
#pragma once

#include "variants/gauss/cuda/whole_tile.cuh"

namespace portcost::gauss {

// `count` elements of 32 lines, from element `first` on, in one warp of 8 x 4 lanes.
template <int count, class T>
class LineBlock {
 public:
  using W = Whole<T>;
  static constexpr int wide = W::wide, pitch = W::pitch, line_pitch = W::line_pitch;

  __device__ __forceinline__ LineBlock(T* lines, int first)
      : element_(first + threadIdx.x % lanes / 8 * count),
        lines_(lines + threadIdx.x % 8 * wide),
        to_(lines_ + element_ * line_pitch) {}

  // Updates them by elements m .. m + 31. Element e's factor for element m is triangle[m][e].
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
      alignas(16) T factors[count], from[4];
#pragma unroll
      for (int i = 0; i < count; i += some) {
        copy_pack<some>(factors + i, triangle + m * pitch + element_ + i);
      }
#pragma unroll
      for (int c = 0; c < 4; c += wide) copy_pack<wide>(from + c, lines_ + m * line_pitch + 8 * c);
#pragma unroll
      for (int i = 0; i < count; ++i) {
#pragma unroll
        for (int c = 0; c < 4; ++c) own[i][c] = eliminate(own[i][c], factors[i], from[c]);
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

// Calls f(element, column) for `count` elements of 32 lines, from element `first` on, for copies to
// or from shared memory. For rows below the pivot tile a warp copies 8 elements of 4 rows: whole
// sectors, without bank conflicts.
template <bool beside, int count, class T, class F>
__device__ __forceinline__ void each_element(int first, const F& f) {
  using W = Whole<T>;
  if constexpr (beside) {
    constexpr int packs = W::corner / W::wide;
#pragma unroll 4
    for (int i = threadIdx.x; i < count * packs; i += W::solve_threads) {
      f(first + i / packs, i % packs * W::wide);
    }
  } else {
    constexpr int across = count / 8;
#pragma unroll 16
    for (int i = 0; i < count * W::corner / W::solve_threads; ++i) {
      const int at = (threadIdx.x + i * W::solve_threads) / lanes;
      f(first + at % across * 8 + threadIdx.x % 8, at / across * 4 + threadIdx.x % lanes / 8);
    }
  }
}

// The progress of other launches, on which a launch that solves for a cross spins: the factorised
// corners of the pivot tile, and the blocks that have updated the cross, of `all` blocks.
struct Flags {
  const int *factorised, *taken;
  int all;
};

// Solves for the cross of tile (k, k), 32 lines a block, corner by corner as the tile is
// factorised. left: stored by the factorisation (Beside). transposed: as in solve_kernel.
template <bool beside, class T>
__device__ __forceinline__ void solve_whole(const System<T>& s, Tile at, int k, int part,
                                            const T* left, T* transposed, Flags flags, T* shared) {
  using W = Whole<T>;
  constexpr int corner = W::corner, pitch = W::pitch, wide = W::wide, tile = W::tile;
  T *const inverse = shared + W::solve_inverse, *const lines = shared + W::solve_lines_at;
  const int first = k * tile, line = part * corner, warp = threadIdx.x / lanes;
  // The line's element e: to[e * apart] beside the tile, to[e] of row `line` below it.
  T* const to = beside ? s.row(first) + at.col * tile + line : s.row(at.row * tile + line) + first;
  spin_until(flags.taken, flags.all);
  each_element<beside, tile, T>(0, [&](int e, int c) {
    T* const place = lines + e * W::line_pitch + c;
    if constexpr (beside) {
      __pipeline_memcpy_async(place, to + s.offset(e) + c, 16);
    } else {
      *place = to[s.offset(c) + e];
    }
  });
#pragma unroll 1
  for (int pivot = 0; pivot < tile; pivot += corner) {
    spin_until(flags.factorised, pivot / corner + 1);
    if (threadIdx.x < corner) {
      inverse[threadIdx.x] = beside ? T(1) : left[Beside::inverse + pivot + threadIdx.x];
    }
    const int packs = (tile - pivot) / wide;
    for (int i = threadIdx.x; i < corner * packs; i += W::solve_threads) {
      const int m = pivot + i / packs, e = pivot + i % packs * wide;
      const T* const from =
          beside ? left + Beside::lower + m * tile + e : s.row(first + m) + first + e;
      __pipeline_memcpy_async(shared + m * pitch + e, from, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (warp == 0) {
      T own[corner];
      T* const place = lines + pivot * W::line_pitch + threadIdx.x;
#pragma unroll
      for (int e = 0; e < corner; ++e) own[e] = place[e * W::line_pitch];
      solve_whole_line(own, shared + pivot * (pitch + 1), inverse);
#pragma unroll
      for (int e = 0; e < corner; ++e) place[e * W::line_pitch] = own[e];
    }
    __syncthreads();
    each_element<beside, corner, T>(pivot, [&](int e, int c) {
      const T* const place = lines + e * W::line_pitch + c;
      if constexpr (beside) {
        copy_pack<wide>(to + s.offset(e) + c, place);
      } else {
        to[s.offset(c) + e] = *place;
      }
    });
    if (!beside && transposed != nullptr) {
      each_element<true, corner, T>(pivot, [&](int e, int c) {
        copy_pack<wide>(transposed + s.offset(e) + at.row * tile + line + c,
                        lines + e * W::line_pitch + c);
      });
    }
    for (int mine = pivot + corner + 8 * warp; mine < tile; mine += W::solve_threads / lanes * 8) {
      LineBlock<2, T>(lines, mine).take(shared, pivot);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(Whole<T>::solve_threads, 1)
    solve_whole_kernel(System<T> s, Region region, int k, const T* left, T* transposed,
                       Flags flags) {
  extern __shared__ double2 dynamic[];
  let_next_begin();
  if (s.stopped()) return;
  constexpr int parts = Whole<T>::tile / Whole<T>::corner;
  const Tile at = region.at(blockIdx.x / parts);
  const int part = blockIdx.x % parts;
  T* const shared = reinterpret_cast<T*>(dynamic);
  if (at.row == k) {
    solve_whole<true>(s, at, k, part, left, transposed, flags, shared);
  } else {
    solve_whole<false>(s, at, k, part, left, transposed, flags, shared);
  }
}

template <class T>
void launch_solve_whole(const System<T>& s, int k, const Region& region, const T* left,
                        T* transposed, Flags flags, cudaStream_t stream) {
  using W = Whole<T>;
  if (region.count() == 0) return;
  constexpr int bytes = W::bytes(W::solve_size);
  cuda_check(cudaFuncSetAttribute(solve_whole_kernel<T>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const auto blocks = static_cast<unsigned>(region.count() * (W::tile / W::corner));
  launch(true, solve_whole_kernel<T>, blocks, W::solve_threads, bytes, stream, s, region, k, left,
         transposed, flags);
}

}  // namespace portcost::gauss
