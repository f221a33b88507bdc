// SPDX-License-Identifier: Apache-2.0
// Native GPU kernels of early_cross: a tile is closed and its cross solved in one launch, whose
// blocks wait for each other's work; and the products that the next round needs soon.
#pragma once

#include "variants/gauss/cuda/close.cuh"

namespace portcost::gauss {

// A chunk of each of a thread's lines of the cross, in registers. block[m * chunk + e] is what
// element e takes of element m.
template <class T>
class EarlyLines {
 public:
  static constexpr int chunk = EarlyCross::chunk, each = EarlyCross::each, wide = 4;

  // Their own elements by each other. Those of rows below are multiplied by `inverse`.
  template <bool beside>
  __device__ __forceinline__ void close(const T* block, const T* inverse) {
#pragma unroll
    for (int m = 0; m < chunk; ++m) {
#pragma unroll
      for (int q = 0; q < each; ++q) {
        if constexpr (!beside) at[q][m] = at[q][m] * inverse[m];
      }
#pragma unroll
      for (int e = (m + 1) / wide * wide; e < chunk; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, block + m * chunk + e);
#pragma unroll
        for (int i = 0; i < wide; ++i) {
          if (e + i <= m) continue;
#pragma unroll
          for (int q = 0; q < each; ++q) at[q][e + i] = eliminate(at[q][e + i], at[q][m], some[i]);
        }
      }
    }
  }
  // Less those of a chunk before it, of which element m of line q is known[m * tile + q * lanes].
  __device__ __forceinline__ void take(const T* known, const T* block) {
#pragma unroll 2
    for (int m = 0; m < chunk; ++m) {
      T times[each];
#pragma unroll
      for (int q = 0; q < each; ++q) times[q] = known[m * panel_tile + q * lanes];
#pragma unroll
      for (int e = 0; e < chunk; e += wide) {
        alignas(pack_bytes<T>) T some[wide];
        copy_pack<wide>(some, block + m * chunk + e);
#pragma unroll
        for (int q = 0; q < each; ++q) {
#pragma unroll
          for (int i = 0; i < wide; ++i) {
            at[q][e + i] = eliminate(at[q][e + i], times[q], some[i]);
          }
        }
      }
    }
  }
  // From where they lie in the matrix to registers (`load`), or back. place: of the first line.
  template <bool beside, bool load>
  __device__ __forceinline__ void copy(const System<T>& s, T* place) {
#pragma unroll
    for (int q = 0; q < each; ++q) {
#pragma unroll
      for (int e = 0; e < chunk; e += beside ? 1 : wide) {
        T* const in = place + (beside ? s.offset(e) + q * lanes : s.offset(q * lanes) + e);
        copy_pack<beside ? 1 : wide>(load ? at[q] + e : in, load ? in : at[q] + e);
      }
    }
  }

  alignas(pack_bytes<T>) T at[each][chunk];
};

// What chunk `c` and those after it take of c, from the closed tile to scratch: block b is what
// chunk c + b takes. Those for columns beside the tile are transposed, a row a lane.
template <bool beside, class T>
__device__ __forceinline__ void bring_blocks(const System<T>& s, int k, int c, T* scratch) {
  constexpr int chunk = EarlyCross::chunk, wide = 4, packs = EarlyCross::block / wide;
  const T* const tile = s.row(k * panel_tile + c * chunk) + k * panel_tile + c * chunk;
  for (int i = threadIdx.x; i < (EarlyCross::chunks - c) * packs; i += EarlyCross::items) {
    const int b = i / packs, in = i % packs;
    const int row = beside ? in % chunk : in / (chunk / wide);
    const int column = (beside ? in / chunk : in % (chunk / wide)) * wide;
    T* const block = scratch + b * EarlyCross::block;
    alignas(pack_bytes<T>) T some[wide];
    copy_pack<wide>(
        some, tile + s.offset((beside ? b * chunk : 0) + row) + (beside ? 0 : b * chunk) + column);
    if constexpr (beside) {
#pragma unroll
      for (int e = 0; e < wide; ++e) block[(column + e) * chunk + row] = some[e];
    } else {
      copy_pack<wide>(block + row * chunk + column, some);
    }
  }
}

// A tile of the cross, chunk by chunk, each as soon as the pivots that it needs are closed: by the
// warp that has it; then those after it take their products of it.
template <bool beside, class T>
__device__ __forceinline__ void solve_early(const System<T>& s, Tile at, int k, T* scratch,
                                            const int* closed) {
  constexpr int chunk = EarlyCross::chunk, each = EarlyCross::each;
  const int own = threadIdx.x / lanes, lane = threadIdx.x % lanes, first = k * panel_tile;
  T* const known = scratch + EarlyCross::known + lane;
  T* const inverse = scratch + EarlyCross::inverse;
  T* const place = beside ? s.row(first + own * chunk) + at.col * panel_tile + lane
                          : s.row(at.row * panel_tile + lane) + first + own * chunk;
  EarlyLines<T> lines;
  lines.template copy<beside, true>(s, place);
#pragma unroll 1
  for (int c = 0; c < EarlyCross::chunks; ++c) {
    wait_until(closed, (c + 1) * chunk);
    bring_blocks<beside>(s, k, c, scratch);
    if (!beside && threadIdx.x < chunk) {
      const int pivot = first + c * chunk + threadIdx.x;
      inverse[threadIdx.x] = reciprocal(s.row(pivot)[pivot]);
    }
    __syncthreads();
    if (own == c) {
      lines.template close<beside>(scratch, inverse);
#pragma unroll
      for (int e = 0; e < chunk; ++e) {
#pragma unroll
        for (int q = 0; q < each; ++q) known[e * panel_tile + q * lanes] = lines.at[q][e];
      }
      lines.template copy<beside, false>(s, place);
    }
    if (c + 1 == EarlyCross::chunks) break;
    __syncthreads();
    if (own > c) lines.take(known, scratch + (own - c) * EarlyCross::block);
  }
}

// Tile (k, k) and its cross. Blocks have what they do by tickets: the one that comes first closes
// the tile, which waits for nobody, whatever the order in which blocks begin. state: the next
// ticket, and how many pivots are closed; both 0 when it begins.
template <class Shape, class T>
__global__ void __launch_bounds__(Shape::threads, 1)
    early_cross_kernel(System<T> s, Region region, int k, int* state) {
  static_assert(Shape::threads == EarlyCross::items);
  __shared__ alignas(pack_bytes<T>) T scratch[EarlyCross::scratch<T>];
  __shared__ int ticket;
  if (s.stopped()) return;
  if (threadIdx.x == 0) ticket = atomicAdd(state, 1);
  __syncthreads();
  int* const closed = state + 1;
  if (ticket == 0) {
    close_tile<Shape>(s, k, scratch, [&](int pivots) {
      if (pivots % EarlyCross::chunk != 0 || threadIdx.x != 0) return;
      __threadfence();  // what is told was written before
      atomicExch(closed, pivots);
    });
    return;
  }
  const Tile at = region.at(ticket - 1);
  if (at.row == k) {
    solve_early<true>(s, at, k, scratch, closed);
  } else {
    solve_early<false>(s, at, k, scratch, closed);
  }
}

template <class T>
void launch_early_cross(const System<T>& s, int k, int* state, cudaStream_t stream) {
  using Shape = PanelShape<T>;
  const Tiles tiles(s.n, panel_tile);
  const Region cross = tiles.cross(k, tiles.of(k));
  early_cross_kernel<Shape>
      <<<static_cast<unsigned>(1 + cross.count()), Shape::threads, 0, stream>>>(s, cross, k, state);
  cuda_check(cudaGetLastError());
}

// Two regions in tiles of two shapes, in one launch, which makes the state anew.
template <class First, class Second, class T>
__global__ void __launch_bounds__(First::threads, First::teams)
    two_products_kernel(System<T> s, Region first, Region second, int* state) {
  static_assert(First::threads == Second::threads && First::teams == Second::teams);
  static_assert(First::scratch <= Second::scratch);
  __shared__ alignas(pack_bytes<T>) T scratch[Second::scratch];
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    for (int i = 0; i < EarlyCross::state_size; ++i) state[i] = 0;
  }
  if (s.stopped()) return;
  const int at = static_cast<int>(blockIdx.x), before = first.count();
  if (at < before) {
    take_products_of<First>(s, first, first.at(at), scratch);
  } else {
    take_products_of<Second>(s, second, second.at(at - before), scratch);
  }
}

template <class First, class Second, class T>
void launch_products(const System<T>& s, const Region& first, const Region& second, int* state,
                     cudaStream_t stream) {
  two_products_kernel<First, Second>
      <<<static_cast<unsigned>(first.count() + second.count()), First::threads, 0, stream>>>(
          s, first, second, state);
  cuda_check(cudaGetLastError());
}

}  // namespace portcost::gauss
