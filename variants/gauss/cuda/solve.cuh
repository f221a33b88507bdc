// SPDX-License-Identifier: Apache-2.0
// Native GPU kernel of panel and the steps after it: solving for the pivot tile's cross.
#pragma once

#include "variants/gauss/cuda/tiles.cuh"

namespace portcost::gauss {

// Solves for a part of a tile's lines (bodies.hpp). transposed: receives a second copy of the
// multipliers, transposed; or null.
template <bool beside, int tile, class T>
__device__ __forceinline__ void solve_lines_of(const SolvingCross<tile, T>& cross, Tile at,
                                               int part, T* scratch, T* transposed) {
  using Cross = SolvingCross<tile, T>;
  constexpr int chunk = Cross::chunk, lines = Cross::lines;
  const unsigned item = threadIdx.x;
  const int own = item / lines, at_line = part * lines + item % lines;
  T* const known = scratch + Cross::Shape::known + item % lines;
  T* const inverse = scratch + Cross::Shape::inverse;
  typename Cross::Blocks blocks;
  cross.template fetch<beside>(blocks, item, 0);
  alignas(pack_bytes<T>) T line[chunk];
  T* const place = cross.template place<beside>(at, at_line, item);
  cross.template load<beside>(line, place);
  if constexpr (!beside) cross.invert(inverse, item);
  cross.template publish<beside>(blocks, scratch, item, 0);
  __syncthreads();
#pragma unroll 1
  for (int c = 0; c < Cross::chunks; ++c) {
    if (own == c) {
      cross.template solve_chunk<beside>(line, scratch, inverse + c * chunk);
#pragma unroll
      for (int e = 0; e < chunk; ++e) known[e * lines] = line[e];
    }
    if (c + 1 == Cross::chunks) break;
    cross.template fetch<beside>(blocks, item, c + 1);
    __syncthreads();
    if (own > c) cross.take(line, known, scratch + (own - c) * Cross::Shape::block);
    __syncthreads();
    cross.template publish<beside>(blocks, scratch, item, c + 1);
    __syncthreads();
  }
  cross.template store<beside>(line, place);
  if constexpr (!beside) {
    if (transposed == nullptr) return;
#pragma unroll
    for (int e = 0; e < chunk; ++e) {
      transposed[cross.s.offset(own * chunk + e) + at.row * tile + at_line] = line[e];
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
  const SolvingCross<tile, T> cross{s, region, k};
  if (at.row == k) {
    solve_lines_of<true>(cross, at, part, scratch, transposed);
  } else {
    solve_lines_of<false>(cross, at, part, scratch, transposed);
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
