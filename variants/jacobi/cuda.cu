// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: one sweep a launch, several sweeps a pass, the norm, and the table of all
// steps.
#include "src/memory/cuda_check.hpp"
#include "variants/jacobi/bodies.hpp"
#include "variants/jacobi/problem.hpp"
#include "variants/jacobi/ranks_launches.hpp"
#include "variants/shared/cuda_bands.cuh"

namespace portcost::jacobi {

namespace {

// A node a thread, which loads all operands from memory.
template <class T>
__global__ void __launch_bounds__(lanes* naive_shape(Place::device).warps)
    naive_kernel(Sweep<T> s, int first) {
  const int x = blockIdx.x * lanes + threadIdx.x;
  const int y = (first + blockIdx.y) * naive_shape(Place::device).y + threadIdx.y;
  if (x >= s.columns || y >= s.rows) return;
  const T* const row = s.row_in(y) + x;
  s.row_out(y)[x] = relaxed(s.c, *(row - s.pitch), *(row + s.pitch), row[-1], row[1],
                            source(s.c, s.row_right(y)[x]));
}

// The HOWTO's kernel: a thread a column, with the rows above and below in registers and the row
// between in shared memory; a block has a band of rows. The columns of neighbouring blocks overlap
// by two. `ahead` of the rows below are prefetched across the barriers. The row in shared memory is
// double-buffered, because neighbours still read it while the next row is written.
template <class T>
__global__ void __launch_bounds__(device_threads, device_teams)
    device_kernel(Sweep<T> s, int first) {
  constexpr int ahead = device_ahead;
  __shared__ T middle[2][device_threads];
  const int thread = threadIdx.x;
  const int x = min(static_cast<int>(blockIdx.x * device_columns) + thread - 1, s.columns);
  const int y0 = (first + blockIdx.y) * device_rows, y1 = min(s.rows - y0, device_rows) + y0;
  const bool computes = thread > 0 && thread < device_threads - 1 && x < s.columns;
  T upper = s.row_in(y0 - 1)[x], lower[ahead], right[ahead];
#pragma unroll
  for (int r = 0; r < ahead; ++r) {
    const int y = min(y0 + r, y1 - 1);
    lower[r] = s.row_in(y + 1)[x];
    right[r] = s.row_right(y)[x];
  }
  middle[0][thread] = s.row_in(y0)[x];
  __syncthreads();
  std::int64_t at = s.offset(y0) + x;
#pragma unroll 1
  for (int begin = y0; begin < y1; begin += ahead) {
#pragma unroll
    for (int r = 0; r < ahead; ++r, at += s.pitch) {
      const int y = begin + r, now = r % 2;
      if (y >= y1) break;
      if (computes) {
        s.out[at] = relaxed(s.c, upper, lower[r], middle[now][thread - 1], middle[now][thread + 1],
                            source(s.c, right[r]));
      }
      upper = middle[now][thread];
      middle[1 - now][thread] = lower[r];
      if (y + ahead < y1) {
        lower[r] = s.in[at + s.offset(ahead + 1)];
        right[r] = s.right_side[at + s.offset(ahead)];
      }
      __syncthreads();
    }
  }
}

// Each thread reads 16 bytes a row and walks down, with the rows above and below in registers; the
// two neighbours along the row come from the L1 cache.
template <class T>
__global__ void __launch_bounds__(march_threads) register_march_kernel(Sweep<T> s, int first) {
  const int x = (blockIdx.x * lanes + threadIdx.x) * piece<T>;
  march(s, x, ((first + blockIdx.y) * march_warps + threadIdx.y) * march_rows);
}

// The greatest residual: of a thread's nodes, which are a column of a band; of a warp; of all.
template <class T>
__global__ void __launch_bounds__(norm_threads)
    residual_kernel(Sweep<T> s, int first, Bits<T>* into) {
  const int x = blockIdx.x * norm_threads + threadIdx.x;
  const int y0 = (first + blockIdx.y) * norm_rows, y1 = min(s.rows - y0, norm_rows) + y0;
  Bits<T> greatest = 0;
  if (x < s.columns) {
    T north = s.row_in(y0 - 1)[x], centre = s.row_in(y0)[x];
    for (int y = y0; y < y1; ++y) {
      const T* const row = s.row_in(y) + x;
      const T south = row[s.pitch];
      greatest =
          max(greatest,
              bits_of(residual(s.c, centre, north, south, row[-1], row[1], s.row_right(y)[x])));
      north = centre;
      centre = south;
    }
  }
#pragma unroll
  for (int apart = lanes / 2; apart > 0; apart /= 2) {
    greatest = max(greatest, __shfl_xor_sync(0xFFFFFFFFu, greatest, apart));
  }
  if (threadIdx.x % lanes == 0) atomicMax(into, greatest);
}

template <class T>
void greatest_residual(const Sweep<T>& s, T* into, const Stream& stream) {
  auto* const bits = reinterpret_cast<Bits<T>*>(into);
  cuda_check(cudaMemsetAsync(bits, 0, sizeof(T), stream.native()));
  for_bands(ceil_div(s.columns, norm_threads), ceil_div(s.rows, norm_rows),
            [&](dim3 grid, int first) {
              residual_kernel<<<grid, norm_threads, 0, stream.native()>>>(s, first, bits);
            });
}

template <class T>
void naive(const Sweep<T>& s, const Stream& stream) {
  constexpr NaiveShape shape = naive_shape(Place::device);
  for_bands(ceil_div(s.columns, shape.x), ceil_div(s.rows, shape.y), [&](dim3 grid, int first) {
    naive_kernel<<<grid, dim3(lanes, shape.warps), 0, stream.native()>>>(s, first);
  });
}

template <class T>
void march_columns(const Sweep<T>& s, const Stream& stream) {
  for_bands(ceil_div(s.columns, device_columns), ceil_div(s.rows, device_rows),
            [&](dim3 grid, int first) {
              device_kernel<<<grid, device_threads, 0, stream.native()>>>(s, first);
            });
}

template <class T>
void register_march(const Sweep<T>& s, const Stream& stream) {
  for_bands(ceil_div(s.columns, lanes * piece<T>), ceil_div(s.rows, march_warps * march_rows),
            [&](dim3 grid, int first) {
              register_march_kernel<<<grid, dim3(lanes, march_warps), 0, stream.native()>>>(s,
                                                                                            first);
            });
}

// A step whose passes of up to `most` sweeps are a launch each.
template <class T, class Pass>
void passes(const Task<T>& task, int most, const Stream& stream, const Pass& pass) {
  carry_out(task, most, pass,
            [&](const Sweep<T>& s, T* into) { greatest_residual(s, into, stream); });
}

// ---- Several sweeps a pass over memory. A block walks down a band of rows, 16 bytes a thread and
// row. With each new row, each level (the grid after so many sweeps) advances by one row; its north
// and south are in registers. West and east of a thread's columns come from shared memory, where
// each thread stored the first and the last column of its previous row of every level: one barrier
// a row.

// A thread's columns: of each level but the last the two most recent rows, and for each of these
// rows the right side's addend. Two rows of both grids are prefetched.
template <class T, int depth>
struct Stream16 {
  Wide<T> row[depth][2], source[depth];
  Wide<T> next_in[2], next_right[2];
};

// The tile of a block, and a thread's place in it.
template <class T, int depth>
struct ManyTile {
  using Shape = ManyShape<T, depth>;
  const T *in, *right_side;  // this thread's columns in row 0, limited to the grid
  T* out;
  int x, y0, y1;
  bool stores;
  T beta[piece<T>];  // 0 for columns of the frame and beyond, which do not change

  __device__ ManyTile(const Sweep<T>& s, int height) {
    const int thread = threadIdx.x;
    x = blockIdx.x * Shape::columns - Shape::halo + thread * piece<T>;
    y0 = blockIdx.y * height;
    y1 = y0 + min(height, s.rows - y0);
    const int read = min(x, s.columns / piece<T> * piece<T>);
    in = s.in + read;
    right_side = s.right_side + read;
    out = s.out + x;
    stores = thread >= Shape::halo_threads && thread < many_threads - Shape::halo_threads &&
             x < s.columns;
#pragma unroll
    for (int j = 0; j < piece<T>; ++j) beta[j] = s.inside(0, x + j) ? s.c.beta : T(0);
  }
  /// True where a column of the block is not inside.
  __device__ static bool has_sides(const Sweep<T>& s) {
    const int first = blockIdx.x * Shape::columns - Shape::halo;
    return first < 0 || first > s.columns - many_threads * piece<T>;
  }
};

template <bool ends, class T>
__device__ Wide<T> load_row(const Sweep<T>& s, const T* columns, int y) {
  const int row = ends ? clamped(y, -1, s.rows) : y;
  return *reinterpret_cast<const Wide<T>*>(columns + s.offset(row));
}

// Row y of the grid, the `turn`-th of the unrolled rows, has arrived: level t + 1 computes its row
// y - 1 - t. `sides`: some columns are not inside; their source is their value, and the grid beyond
// the frame is 0. `ends`: some rows are not inside.
template <bool sides, bool ends, class T, int depth>
__device__ __forceinline__ void advance(const Sweep<T>& s, const ManyTile<T, depth>& tile,
                                        Stream16<T, depth>& own, T* scratch, int y, int turn) {
  using Shape = ManyShape<T, depth>;
  constexpr int columns = piece<T>;
  const int thread = threadIdx.x, now = turn & 1;
  const int west = (thread > 0 ? thread - 1 : 0) + many_threads;
  const int east = thread < many_threads - 1 ? thread + 1 : thread;
  const T* const before = scratch + now * Shape::half_elements;
  T* const after = scratch + (1 - now) * Shape::half_elements;
  Wide<T> south = own.next_in[now], added = own.next_right[now];
  own.next_in[now] = load_row<ends>(s, tile.in, y + 2);
  own.next_right[now] = load_row<ends>(s, tile.right_side, y + 2);
#pragma unroll
  for (int j = 0; j < columns; ++j) {
    const int x = tile.x + j;
    if (sides && (x < -1 || x > s.columns)) south.at[j] = 0;
    added.at[j] = sides && tile.beta[j] == 0 ? south.at[j] : source(s.c, added.at[j]);
  }
#pragma unroll
  for (int t = 0; t < depth; ++t) {
    const int at = t * Shape::level_elements;
    const Wide<T> next = relaxed_piece<sides, ends>(
        s, tile.beta, own.row[t][now], own.row[t][1 - now], south, before[at + west],
        before[at + east], own.source[(turn + depth - 1 - t) % depth], y - 1 - t);
    own.row[t][now] = south;
    after[at + thread] = south.at[0];
    after[at + many_threads + thread] = south.at[columns - 1];
    south = next;
  }
  own.source[turn % depth] = added;
  const int done = y - depth;
  if (tile.stores && done >= tile.y0 && done < tile.y1) {
    *reinterpret_cast<Wide<T>*>(tile.out + s.offset(done)) = south;
  }
  __syncthreads();
}

template <bool sides, class T, int depth>
__device__ void many_steps_tile(const Sweep<T>& s, int height, T* scratch) {
  using Shape = ManyShape<T, depth>;
  const ManyTile<T, depth> tile(s, height);
  Stream16<T, depth> own{};
#pragma unroll
  for (int t = 0; t < 2 * depth; ++t) scratch[t * many_threads + threadIdx.x] = 0;
  const int first = tile.y0 - depth;
#pragma unroll
  for (int ahead = 0; ahead < 2; ++ahead) {
    own.next_in[ahead] = load_row<true>(s, tile.in, first + ahead);
    own.next_right[ahead] = load_row<true>(s, tile.right_side, first + ahead);
  }
  __syncthreads();
  for (int y = first; y < tile.y1 + depth; y += Shape::unrolled) {
    if (y >= depth && y < s.rows - Shape::unrolled) {
#pragma unroll
      for (int turn = 0; turn < Shape::unrolled; ++turn) {
        advance<sides, false>(s, tile, own, scratch, y + turn, turn);
      }
    } else {
#pragma unroll
      for (int turn = 0; turn < Shape::unrolled; ++turn) {
        advance<sides, true>(s, tile, own, scratch, y + turn, turn);
      }
    }
  }
}

template <class T, int depth>
__global__ void __launch_bounds__(many_threads, ManyShape<T, depth>::teams)
    many_steps_kernel(Sweep<T> s, int height) {
  __shared__ T scratch[ManyShape<T, depth>::scratch_elements];
  if (ManyTile<T, depth>::has_sides(s)) {
    many_steps_tile<true, T, depth>(s, height, scratch);
  } else {
    many_steps_tile<false, T, depth>(s, height, scratch);
  }
}

// A pass of 1, 2, 4 or 8 sweeps.
template <int depth = most_depth, class T>
void many_steps_pass(const Sweep<T>& s, int sweeps, int processors, const Stream& stream) {
  if constexpr (depth > 1) {
    if (sweeps < depth) return many_steps_pass<depth / 2>(s, sweeps, processors, stream);
  }
  using Shape = ManyShape<T, depth>;
  const int strips = ceil_div(s.columns, Shape::columns);
  const int height = many_rows(s.rows, strips, processors * Shape::teams, Shape::unrolled);
  const dim3 grid(static_cast<unsigned>(strips), static_cast<unsigned>(ceil_div(s.rows, height)));
  many_steps_kernel<T, depth><<<grid, many_threads, 0, stream.native()>>>(s, height);
  cuda_check(cudaGetLastError());
}

template <class T>
Launches<T> launches() {
  return {naive<T>, register_march<T>,
          [](const Sweep<T>& s, int sweeps, int processors, const Stream& on) {
            many_steps_pass(s, sweeps, processors, on);
          },
          greatest_residual<T>};
}

}  // namespace

ModelLaunches cuda_launches() { return {launches<float>(), launches<double>()}; }

Rungs cuda_rungs() {
  return {rung(works, "naive",
               []<class T>(const Task<T>& task, const Stream& on) {
                 passes(task, 1, on, [&](const Sweep<T>& s, int) { naive(s, on); });
               }),
          rung(works, "device",
               []<class T>(const Task<T>& task, const Stream& on) {
                 passes(task, 1, on, [&](const Sweep<T>& s, int) { march_columns(s, on); });
               }),
          rung(works, "register_march",
               []<class T>(const Task<T>& task, const Stream& on) {
                 passes(task, 1, on, [&](const Sweep<T>& s, int) { register_march(s, on); });
               }),
          rung(works, "many_steps", []<class T>(const Task<T>& task, const Stream& on) {
            passes(task, task.depth, on, [&](const Sweep<T>& s, int sweeps) {
              many_steps_pass(s, sweeps, task.processors, on);
            });
          })};
}

}  // namespace portcost::jacobi
