// SPDX-License-Identifier: Apache-2.0
// Native GPU variants.
#include "src/memory/cuda_check.hpp"
#include "variants/heat2d_steps/bodies.hpp"

namespace portcost::heat2d_steps {

namespace {

constexpr unsigned all_lanes = ~0u;

// ---- overlapped: a block advances a tile, which shrinks by a node on each side a step.

template <class T>
__global__ void __launch_bounds__(tile_threads)
    overlapped_kernel(Pass<T> s, int strips, int depth, int halo) {
  constexpr int wide = tile_x<T>;
  __shared__ Wide<T> buffers[2][tile_y * lanes];
  const auto tile = [&](int buffer) { return reinterpret_cast<T*>(buffers[buffer]); };
  const int lane = threadIdx.x, first_row = threadIdx.y * tile_rows, lx = lane * piece<T>;
  const int band = blockIdx.x / strips, strip = blockIdx.x - band * strips;
  const int x = strip * (wide - 2 * halo) - halo + lx;
  const int y = band * (tile_y - 2 * depth) - depth + first_row;
#pragma unroll
  for (int r = 0; r < tile_rows; ++r) {
    Wide<T> loaded{};
    if (x >= 0 && x < static_cast<int>(s.pitch)) {
      loaded = *reinterpret_cast<const Wide<T>*>(s.row_in(s.near_y(y + r)) + x);
    }
    *reinterpret_cast<Wide<T>*>(tile(0) + (first_row + r) * wide + lx) = loaded;
  }
  __syncthreads();
  for (int step = 0; step < depth; ++step) {
    const T* const now = tile(step % 2);
    T* const next = tile(1 - step % 2);
    advance_part(s, now, next, lx, first_row, x, y);
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < tile_rows; ++r) {
    const int ly = first_row + r;
    if (lx < halo || lx >= wide - halo || x >= s.nx) continue;
    if (ly < depth || ly >= tile_y - depth || y + r >= s.ny) continue;
    *reinterpret_cast<Wide<T>*>(s.row_out(y + r) + x) =
        *reinterpret_cast<const Wide<T>*>(tile(depth % 2) + ly * wide + lx);
  }
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
        const int halo = tile_halo<T>(depth);
        const int strips = ceil_div(s.nx, tile_x<T> - 2 * halo);
        const int bands = ceil_div(s.ny, tile_y - 2 * depth);
        overlapped_kernel<<<league(strips, bands), dim3(lanes, tile_warps), 0, stream.native()>>>(
            s, strips, depth, halo);
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
  const auto stream = stream_y;
  return {rung(works, "one_step", of_single_steps(stream)), rung(works, "overlapped", overlapped),
          rung(works, "stream_y", stream)};
}

}  // namespace portcost::heat2d_steps
