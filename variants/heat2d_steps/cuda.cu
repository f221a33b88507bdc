// SPDX-License-Identifier: Apache-2.0
// Native GPU variants.
#include <cooperative_groups.h>

#include "src/memory/cuda_check.hpp"
#include "variants/heat2d_steps/bodies.hpp"

namespace portcost::heat2d_steps {

namespace {

constexpr unsigned all_lanes = ~0u;

// ---- overlapped: a block advances a tile, which shrinks by a node on each side a step.

// A block's part of a tile: buffer 0 and 1 before even and odd steps.
template <class T>
struct TilePart {
  Wide<T> (&buffers)[2][tile_y * lanes];
  int lx = static_cast<int>(threadIdx.x) * piece<T>;
  int first_row = static_cast<int>(threadIdx.y) * tile_rows;

  __device__ T* tile(int buffer) const { return reinterpret_cast<T*>(buffers[buffer]); }

  // Node (0, 0) of the part is node (y0, x0) of the grid.
  __device__ void load(const Pass<T>& s, int x0, int y0) const {
#pragma unroll
    for (int r = 0; r < tile_rows; ++r) {
      Wide<T> loaded{};
      if (x0 + lx >= 0 && x0 + lx < static_cast<int>(s.pitch)) {
        loaded =
            *reinterpret_cast<const Wide<T>*>(s.row_in(s.near_y(y0 + first_row + r)) + x0 + lx);
      }
      *reinterpret_cast<Wide<T>*>(tile(0) + (first_row + r) * tile_x<T> + lx) = loaded;
    }
  }

  // `row0`: the row of the tile at which the part begins.
  __device__ void store(const Pass<T>& s, const TilesOf<T>& of, int x0, int y0,
                        int row0 = 0) const {
#pragma unroll
    for (int r = 0; r < tile_rows; ++r) {
      const int ly = first_row + r, x = x0 + lx;
      if (lx < of.halo || lx >= tile_x<T> - of.halo || x >= s.nx) continue;
      if (row0 + ly < of.depth || row0 + ly >= of.rows - of.depth || y0 + ly >= s.ny) continue;
      *reinterpret_cast<Wide<T>*>(s.row_out(y0 + ly) + x) =
          *reinterpret_cast<const Wide<T>*>(tile(of.depth % 2) + ly * tile_x<T> + lx);
    }
  }
};

template <class T>
__device__ __forceinline__ void advance_tile(const TilePart<T>& part, const Pass<T>& s,
                                             const TilesOf<T>& of, int number) {
  const int band = number / of.strips, x0 = of.x0(number - band * of.strips), y0 = of.y0(band);
  part.load(s, x0, y0);
  __syncthreads();
  for (int step = 0; step < of.depth; ++step) {
    advance_part(s, rows_of(part.tile(step % 2)), part.tile(1 - step % 2), part.lx, part.first_row,
                 x0 + part.lx, y0 + part.first_row);
    __syncthreads();
  }
  part.store(s, of, x0, y0);
}

template <class T>
__global__ void __launch_bounds__(tile_threads) overlapped_kernel(Pass<T> s, TilesOf<T> of) {
  __shared__ Wide<T> buffers[2][tile_y * lanes];
  advance_tile(TilePart<T>{buffers}, s, of, blockIdx.x);
}

// ---- persistent: one launch makes all passes of overlapped, with a barrier of the grid after
// each.

template <class T>
__global__ void __launch_bounds__(tile_threads, persistent_teams)
    persistent_kernel(Run<T> run, int most) {
  __shared__ Wide<T> buffers[2][tile_y * lanes];
  const auto next = [=](int left) { return left < most ? left : most; };
  for_passes(run, next, [&](const Pass<T>& s, int depth) {
    const TilesOf<T> of(s, depth);
    for (int tile = blockIdx.x; tile < of.strips * of.bands; tile += gridDim.x) {
      advance_tile(TilePart<T>{buffers}, s, of, tile);
      __syncthreads();
    }
    cooperative_groups::this_grid().sync();
  });
}

// ---- cluster: blocks that lie one below the other advance one tile. Before each step a block
// reads the neighbours' edge rows from their shared memory, so that only the tile's ends are
// redundant.

template <class T>
__global__ void __cluster_dims__(clustered) __launch_bounds__(tile_threads)
    cluster_kernel(Pass<T> s, TilesOf<T> of) {
  __shared__ Wide<T> buffers[2][tile_y * lanes];
  const auto blocks = cooperative_groups::this_cluster();
  const int rank = static_cast<int>(blocks.block_rank()), number = blockIdx.x / clustered;
  const int band = number / of.strips, x0 = of.x0(number - band * of.strips);
  const int row0 = rank * tile_y, y0 = of.y0(band) + row0;
  const TilePart<T> part{buffers};
  part.load(s, x0, y0);
  blocks.sync();
  for (int step = 0; step < of.depth; ++step) {
    T* const now = part.tile(step % 2);
    const T* const above = blocks.map_shared_rank(now, rank > 0 ? rank - 1 : 0);
    const T* const below = blocks.map_shared_rank(now, rank < clustered - 1 ? rank + 1 : rank);
    const auto row_now = [&](int ly) {
      const T* const tile = ly < 0 ? above : ly < tile_y ? now : below;
      return tile + (ly < 0 ? tile_y - 1 : ly < tile_y ? ly : 0) * tile_x<T>;
    };
    advance_part(s, row_now, part.tile(1 - step % 2), part.lx, part.first_row, x0 + part.lx,
                 y0 + part.first_row);
    blocks.sync();
  }
  part.store(s, of, x0, y0, row0);
}

// ---- stream_y: a block is one warp, so that conditions of the block are uniform. It walks down a
// strip. With each row that arrives, each level (the grid after so many steps) advances by a row:
// level k computes its row y - k. Rows north and south are in registers, columns west and east of a
// lane's own in its neighbours', a shuffle away.

template <class T, int depth>
struct Strip {
  using Shape = StreamShape<T, depth>;
  using Row = Wide<T>;

  Pass<T> s;
  int x, y0, y1;
  Row level[depth][3] = {},
      soon[ahead] = {};  // the latest rows of each level but the last; rows to come

  template <bool ends>
  __device__ Row load(int y) const {
    if (ends && (x < 0 || x >= static_cast<int>(s.pitch))) return {};
    return *reinterpret_cast<const Row*>(s.row_in(ends ? s.near_y(y) : y) + x);
  }

  // Row `y` of the next level.
  template <bool ends>
  __device__ void advance(const Row& north, const Row& centre, const Row& south, Row& next,
                          int y) const {
    const T west = __shfl_up_sync(all_lanes, centre.at[piece<T> - 1], 1);
    const T east = __shfl_down_sync(all_lanes, centre.at[0], 1);
    const bool end = ends && (y <= 0 || y >= s.ny - 1);
#pragma unroll
    for (int j = 0; j < piece<T>; ++j) {
      const T w = j == 0 ? west : centre.at[j == 0 ? 0 : j - 1];
      const T e = j == piece<T> - 1 ? east : centre.at[j == piece<T> - 1 ? 0 : j + 1];
      const T moved = heat_step(s.c, centre.at[j], w, e, north.at[j], south.at[j]);
      next.at[j] = ends && (end || x + j <= 0 || x + j >= s.nx - 1) ? centre.at[j] : moved;
    }
  }

  template <bool ends>
  __device__ void store(const Row& row, int y) const {
    const int lx = threadIdx.x * piece<T>;
    if (y < y0 || y >= y1 || lx < Shape::halo || lx >= stream_width<T> - Shape::halo) return;
    if (ends && x >= s.nx) return;
    *reinterpret_cast<Row*>(s.row_out(y) + x) = row;
  }

  // Rows y, y + 1 and y + 2 arrive. `ends`: nodes may lie on the grid's edges or beyond.
  template <bool ends>
  __device__ void take_rows(int y) {
#pragma unroll
    for (int turn = 0; turn < ahead; ++turn) {
      level[0][turn] = soon[turn];
      soon[turn] = load<ends>(y + turn + ahead);
      const int north = (turn + 1) % 3, centre = (turn + 2) % 3;
      Row last;
#pragma unroll
      for (int k = 0; k < depth; ++k) {
        advance<ends>(level[k][north], level[k][centre], level[k][turn],
                      k == depth - 1 ? last : level[k < depth - 1 ? k + 1 : 0][turn],
                      y + turn - k - 1);
      }
      store<ends>(last, y + turn - depth);
    }
  }
};

template <class T, int depth>
__global__ void __launch_bounds__(lanes, (StreamShape<T, depth>::warps))
    stream_kernel(Pass<T> s, int strips, int height) {
  using Shape = StreamShape<T, depth>;
  const int band = blockIdx.x / strips, strip = blockIdx.x - band * strips;
  const int x0 = strip * Shape::columns - Shape::halo, y0 = band * height;
  Strip<T, depth> on{s, x0 + static_cast<int>(threadIdx.x) * piece<T>, y0,
                     y0 + min(height, s.ny - y0)};
#pragma unroll
  for (int k = 0; k < ahead; ++k) on.soon[k] = on.template load<true>(y0 - depth + k);
  const bool sides = x0 <= 0 || x0 >= s.nx - stream_width<T>;
  for (int y = y0 - depth; y < on.y1 + depth; y += ahead) {
    if (sides || y - depth <= 0 || y + 2 * ahead > s.ny) {
      on.template take_rows<true>(y);
    } else {
      on.template take_rows<false>(y);
    }
  }
}

constexpr auto overlapped = []<class T>(const Run<T>& run, const Stream& stream) {
  for_passes(
      run, [&](int left) { return tile_depth(run.depth, left); },
      [&](const Pass<T>& s, int depth) {
        const TilesOf<T> of(s, depth);
        overlapped_kernel<<<league(of.strips, of.bands), dim3(lanes, tile_warps), 0,
                            stream.native()>>>(s, of);
        cuda_check(cudaGetLastError());
      });
};

constexpr auto persistent = []<class T>(Run<T> run, const Stream& stream) {
  int most = tile_depth(run.depth, run.steps);
  const TilesOf<T> of(run.pass, most);
  const int blocks =
      std::min(league(of.strips, of.bands), persistent_teams * processors(Place::device));
  void* arguments[] = {&run, &most};
  cuda_check(cudaLaunchCooperativeKernel(persistent_kernel<T>, blocks, dim3(lanes, tile_warps),
                                         arguments, 0, stream.native()));
};

constexpr auto cluster = []<class T>(const Run<T>& run, const Stream& stream) {
  for_passes(
      run, [&](int left) { return tile_depth(run.depth, left, stream_depth); },
      [&](const Pass<T>& s, int depth) {
        const TilesOf<T> of(s, depth, clustered * tile_y);
        cluster_kernel<<<league(of.strips, of.bands * clustered), dim3(lanes, tile_warps), 0,
                         stream.native()>>>(s, of);
        cuda_check(cudaGetLastError());
      });
};

constexpr auto stream_y = []<class T>(const Run<T>& run, const Stream& stream) {
  const int all = processors(Place::device);
  for_stream_passes(run, [&]<int depth>(const Pass<T>& s) {
    using Shape = StreamShape<T, depth>;
    const int strips = ceil_div(s.nx, Shape::columns);
    const int height = band_rows(s.ny, strips, all * Shape::warps * Shape::waves);
    stream_kernel<T, depth>
        <<<league(strips, ceil_div(s.ny, height)), lanes, 0, stream.native()>>>(s, strips, height);
    cuda_check(cudaGetLastError());
  });
};

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "one_step", of_single_steps(stream_y)), rung(works, "overlapped", overlapped),
          rung(works, "persistent", persistent), rung(works, "cluster", cluster),
          rung(works, "stream_y", stream_y)};
}

}  // namespace portcost::heat2d_steps
