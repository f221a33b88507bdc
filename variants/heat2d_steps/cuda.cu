// SPDX-License-Identifier: Apache-2.0
// Native GPU variants.
#include "variants/heat2d_steps/bodies.hpp"

namespace portcost::heat2d_steps {

namespace {

constexpr unsigned all_lanes = 0xffffffffu;
constexpr TileShape shape = tile_shape(Place::device);
template <class T>
constexpr int tile_x = shape.width / static_cast<int>(sizeof(T));
constexpr int columns = shape.width / 16;  // pieces of a tile's row
constexpr int threads = lanes * shape.warps;
static_assert(threads == columns * shape.height / shape.rows);

template <class T>
__device__ const Wide<T>& wide(const T* at) {
  return *reinterpret_cast<const Wide<T>*>(at);
}
template <class T>
__device__ Wide<T>& wide(T* at) {
  return *reinterpret_cast<Wide<T>*>(at);
}
// A piece of the input; what lies beside the grid is of no use, and is not read.
template <bool inside, class T>
__device__ Wide<T> piece_of(const Pass<T>& p, int x, int y) {
  const T* const row = p.row_in(inside ? y : min(max(y, 0), p.ny - 1));
  if (inside || (x >= 0 && x < static_cast<int>(p.pitch))) return wide(row + x);
  return {};
}

// A block computes `steps` steps of its tile. Values within `steps` lines of the tile's rim become
// meaningless, and are not stored.
template <class T>
__global__ void __launch_bounds__(threads) overlapped_kernel(Pass<T> p, int steps, int tiles) {
  constexpr int width = tile_x<T>, height = shape.height;
  __shared__ Wide<T> tile[2][height][columns];
  const int halo = halo_of<T>(steps);
  const int tx = blockIdx.x % tiles, ty = blockIdx.x / tiles;
  const int x0 = tx * (width - 2 * halo) - halo, y0 = ty * (height - 2 * steps) - steps;
  const bool edge = x0 <= 0 || y0 <= 0 || x0 + width >= p.nx || y0 + height >= p.ny;
  const int column = threadIdx.x % columns, first = threadIdx.x / columns * shape.rows;
  const int x = x0 + column * piece<T>;
#pragma unroll
  for (int r = 0; r < shape.rows; ++r) {
    tile[0][first + r][column] = piece_of<false>(p, x, y0 + first + r);
  }
  __syncthreads();
  for (int k = 0; k < steps; ++k) {
    const auto& now = tile[k % 2];
    Wide<T> north = now[max(first - 1, 0)][column], here = now[first][column];
#pragma unroll
    for (int r = 0; r < shape.rows; ++r) {
      const int row = first + r;
      const Wide<T> south = now[min(row + 1, height - 1)][column];
      const T west = now[row][max(column - 1, 0)].at[piece<T> - 1];
      const T east = now[row][min(column + 1, columns - 1)].at[0];
      tile[(k + 1) % 2][row][column] =
          next_piece(p, edge, x, y0 + row, west, east, north, here, south);
      north = here;
      here = south;
    }
    __syncthreads();
  }
  const int at = column * piece<T>;
  if (at < halo || at >= width - halo || x >= p.nx) return;
#pragma unroll
  for (int r = 0; r < shape.rows; ++r) {
    const int row = first + r, y = y0 + row;
    if (row >= steps && row < height - steps && y < p.ny) {
      wide(p.row_out(y) + x) = tile[steps % 2][row][column];
    }
  }
}

template <class T>
void overlapped(const Steps<T>& s, int depth, const Stream& stream) {
  for_passes(
      s, std::min(depth, tile_depth(Place::device)), any_depth, [&](const Pass<T>& p, int steps) {
        const int tiles = ceil_div(p.nx, tile_x<T> - 2 * halo_of<T>(steps));
        const auto rows = ceil_div(p.ny, shape.height - 2 * steps);
        overlapped_kernel<<<static_cast<unsigned>(tiles) * rows, threads, 0, stream.native()>>>(
            p, steps, tiles);
      });
}

template <bool inside, class T>
__device__ void load_row(const Pass<T>& p, int x, int y, T (&row)[own]) {
#pragma unroll
  for (int j = 0; j < own; j += piece<T>) {
    const Wide<T> loaded = piece_of<inside>(p, x + j, y);
#pragma unroll
    for (int i = 0; i < piece<T>; ++i) row[j + i] = loaded.at[i];
  }
}

// A warp's walk down its strip. Input rows are loaded `ahead` rows before they are used.
template <class T, int steps>
struct Walk {
  const Pass<T>& p;
  int x, y0, end;
  Levels<T, steps> levels;
  T next[ahead][own];

  template <bool inside, int turn>
  __device__ void row(int y) {
    T done[own];
#pragma unroll
    for (int j = 0; j < own; ++j) levels.row[0][turn][j] = next[turn][j];
    load_row<inside>(p, x, y + ahead, next[turn]);
    levels.template advance<inside, turn>(
        p, x, y, [](T value) { return __shfl_up_sync(all_lanes, value, 1); },
        [](T value) { return __shfl_down_sync(all_lanes, value, 1); }, done);
    const int to = y - steps;
    if (to < y0 || to >= end) return;
#pragma unroll
    for (int j = 0; j < own; j += piece<T>) {
      Wide<T> stored;
#pragma unroll
      for (int i = 0; i < piece<T>; ++i) stored.at[i] = done[j + i];
      const int at = static_cast<int>(threadIdx.x) * own + j;
      if (at >= halo_of<T>(steps) && at < lanes * own - halo_of<T>(steps) &&
          (inside || x + j < p.nx)) {
        wide(p.row_out(to) + x + j) = stored;
      }
    }
  }
  template <bool inside>
  __device__ void rows(int y) {
    row<inside, 0>(y);
    row<inside, 1>(y + 1);
    row<inside, 2>(y + 2);
  }
};

template <class T, int steps>
__global__ void __launch_bounds__(lanes, stream_teams<T>)
    stream_y_kernel(Pass<T> p, int strips, int stretch) {
  constexpr int halo = halo_of<T>(steps);
  const int first = blockIdx.x % strips * strip<T, steps> - halo;
  const int y0 = blockIdx.x / strips * stretch;
  Walk<T, steps> walk{
      p, first + static_cast<int>(threadIdx.x) * own, y0, min(p.ny - y0, stretch) + y0, {}, {}};
#pragma unroll
  for (int j = 0; j < ahead; ++j) load_row<false>(p, walk.x, y0 - steps + j, walk.next[j]);
  const bool edge = first <= 0 || first + lanes * own >= p.nx;
  for (int y = y0 - steps; y < walk.end + steps; y += 3) {
    if (edge || y - steps <= 0 || y + 2 + ahead >= p.ny) {
      walk.template rows<false>(y);
    } else {
      walk.template rows<true>(y);
    }
  }
}

template <class T, int steps>
void stream_pass(const Pass<T>& p, const Stream& stream) {
  const int strips = ceil_div(p.nx, strip<T, steps>), stretch = stretch_of(strips, p.ny, steps);
  stream_y_kernel<T, steps>
      <<<static_cast<unsigned>(strips) * ceil_div(p.ny, stretch), lanes, 0, stream.native()>>>(
          p, strips, stretch);
}

template <class T>
void stream_y(const Steps<T>& s, int depth, const Stream& stream) {
  for_passes(s, depth, power_depth, [&](const Pass<T>& p, int steps) {
    if (steps == 8) return stream_pass<T, 8>(p, stream);
    if (steps == 4) return stream_pass<T, 4>(p, stream);
    if (steps == 2) return stream_pass<T, 2>(p, stream);
    stream_pass<T, 1>(p, stream);
  });
}

}  // namespace

Rungs cuda_rungs() {
  return {
      rung(works, "one_step", [](const auto& s, const Stream& on) { stream_y(s, 1, on); }),
      rung(works, "two_steps", [](const auto& s, const Stream& on) { overlapped(s, 2, on); }),
      rung(works, "overlapped",
           [](const auto& s, const Stream& on) { overlapped(s, s.depth, on); }),
      rung(works, "stream_y", [](const auto& s, const Stream& on) { stream_y(s, s.depth, on); })};
}

}  // namespace portcost::heat2d_steps
