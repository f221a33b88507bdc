// SPDX-License-Identifier: Apache-2.0
// Native GPU kernel of panel and the steps after it: solving for the pivot tile's cross.
#pragma once

#include "variants/gauss/cuda/tiles.cuh"

namespace portcost::gauss {

// A chunk of a line of the cross, in registers. Element e is updated by element m with the factor
// block[m * chunk + e].
template <class Shape, class T>
class Line {
 public:
  static constexpr int chunk = Shape::chunk, wide = Shape::wide;

  // Solves for the chunk. In a row of L, element m is first multiplied by its pivot's reciprocal,
  // inverse[m].
  template <bool beside>
  __device__ __forceinline__ void close(const T* block, const T* inverse) {
#pragma unroll
    for (int m = 0; m < chunk; ++m) {
      if constexpr (!beside) at[m] = at[m] * inverse[m];
#pragma unroll
      for (int e = (m + 1) / wide * wide; e < chunk; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, block + m * chunk + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) {
          if (e + i > m) at[e + i] = eliminate(at[e + i], at[m], some[i]);
        }
      }
    }
  }
  // Updates the chunk by an earlier chunk, whose element m in this line is known[m * Shape::lines].
  __device__ __forceinline__ void take(const T* known, const T* block) {
#pragma unroll 4
    for (int m = 0; m < chunk; ++m) {
      const T times = known[m * Shape::lines];
#pragma unroll
      for (int e = 0; e < chunk; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, block + m * chunk + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) at[e + i] = eliminate(at[e + i], times, some[i]);
      }
    }
  }

  alignas(pack_bytes<T>) T at[chunk];
};

// The packs that a thread fetches of the pivot tile's blocks by which chunk `c` updates itself and
// the later chunks. Blocks for columns are transposed, so that neighbouring lanes store rows of a
// block and have few bank conflicts.
template <int tile, bool beside, class T>
class Blocks {
 public:
  using Shape = SolveShape<tile>;
  static constexpr int chunk = Shape::chunk, chunks = Shape::chunks, wide = Shape::wide;

  __device__ __forceinline__ void fetch(const System<T>& s, int k, int c) {
    const T* const closed = s.row(k * tile) + k * tile;
    each_pack(c, [&](int i, int b, int row, int column) {
      copy_pack<wide>(at_[i], closed + s.offset((beside ? c + b : c) * chunk + row) +
                                  (beside ? c : c + b) * chunk + column);
    });
  }
  // Block b in scratch is for chunk c + b.
  __device__ __forceinline__ void show(T* scratch, int c) const {
    each_pack(c, [&](int i, int b, int row, int column) {
      T* const block = scratch + b * Shape::block;
      if constexpr (beside) {
#pragma unroll
        for (int e = 0; e < wide; ++e) block[(column + e) * chunk + row] = at_[i][e];
      } else {
        copy_pack<wide>(block + row * chunk + column, at_[i]);
      }
    });
  }

 private:
  // Calls f(i, b, row, column) for all of a thread's packs: pack i lies in block b.
  template <class F>
  __device__ static __forceinline__ void each_pack(int c, const F& f) {
    const int index = threadIdx.x % Shape::packs;
    const int row = beside ? index % chunk : index / (chunk / wide);
    const int column = (beside ? index / chunk : index % (chunk / wide)) * wide;
#pragma unroll
    for (int i = 0; i < Shape::loads; ++i) {
      const int b = i * Shape::at_once + static_cast<int>(threadIdx.x) / Shape::packs;
      if (c + b < chunks) f(i, b, row, column);
    }
  }

  alignas(pack_bytes<T>) T at_[Shape::loads][wide];
};

// Solves for a part of a tile's lines. Chunk after chunk, the warp that has the chunk solves for
// it, then the warps of later chunks update them by it. Meanwhile the next blocks of the pivot tile
// are prefetched. transposed: receives a second copy of the multipliers, transposed; or null.
template <int tile, bool beside, class T>
__device__ __forceinline__ void solve_lines_of(const System<T>& s, Tile at, int k, int part,
                                               T* scratch, T* transposed) {
  using Shape = SolveShape<tile>;
  constexpr int chunk = Shape::chunk, wide = Line<Shape, T>::wide;
  const int own = threadIdx.x / Shape::lines, first = k * tile;
  const int at_line = part * Shape::lines + threadIdx.x % Shape::lines;
  T* const known = scratch + Shape::known + threadIdx.x % Shape::lines;
  T* const inverse = scratch + Shape::inverse;
  Blocks<tile, beside, T> blocks;
  blocks.fetch(s, k, 0);
  Line<Shape, T> line;
  T* const place = beside ? s.row(first + own * chunk) + at.col * tile + at_line
                          : s.row(at.row * tile + at_line) + first + own * chunk;
#pragma unroll
  for (int e = 0; e < chunk; e += beside ? 1 : wide) {
    if constexpr (beside) {
      line.at[e] = place[s.offset(e)];
    } else {
      copy_pack<wide>(line.at + e, place + e);
    }
  }
  if constexpr (!beside) {
    if (threadIdx.x < tile) {
      inverse[threadIdx.x] = reciprocal(s.row(first + threadIdx.x)[first + threadIdx.x]);
    }
  }
  blocks.show(scratch, 0);
  __syncthreads();
#pragma unroll 1
  for (int c = 0; c < Shape::chunks; ++c) {
    if (own == c) {
      line.template close<beside>(scratch, inverse + c * chunk);
#pragma unroll
      for (int e = 0; e < chunk; ++e) known[e * Shape::lines] = line.at[e];
    }
    if (c + 1 == Shape::chunks) break;
    blocks.fetch(s, k, c + 1);
    __syncthreads();
    if (own > c) line.take(known, scratch + (own - c) * Shape::block);
    __syncthreads();
    blocks.show(scratch, c + 1);
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < chunk; e += beside ? 1 : wide) {
    if constexpr (beside) {
      place[s.offset(e)] = line.at[e];
    } else {
      copy_pack<wide>(place + e, line.at + e);
    }
  }
  if constexpr (!beside) {
    if (transposed == nullptr) return;
#pragma unroll
    for (int e = 0; e < chunk; ++e) {
      transposed[s.offset(own * chunk + e) + at.row * tile + at_line] = line.at[e];
    }
  }
}

// Solves for the cross of tile (k, k), a part of a tile a block.
template <int tile, class T>
__global__ void __launch_bounds__(SolveShape<tile>::items, 1)
    solve_kernel(System<T> s, Region region, int k, T* transposed) {
  using Shape = SolveShape<tile>;
  __shared__ alignas(pack_bytes<T>) T scratch[Shape::scratch];
  if (s.stopped()) return;
  const Tile at = region.at(blockIdx.x / Shape::parts);
  const int part = blockIdx.x % Shape::parts;
  if (at.row == k) {
    solve_lines_of<tile, true>(s, at, k, part, scratch, transposed);
  } else {
    solve_lines_of<tile, false>(s, at, k, part, scratch, transposed);
  }
}

template <int tile, class T>
void launch_solve(const System<T>& s, int k, const Region& region, cudaStream_t stream,
                  T* transposed = nullptr) {
  using Shape = SolveShape<tile>;
  if (region.count() == 0) return;
  solve_kernel<tile>
      <<<static_cast<unsigned>(region.count() * Shape::parts), Shape::items, 0, stream>>>(
          s, region, k, transposed);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::gauss
