// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: the steps of one sweep a launch, the norm, and the table of all steps.
#include "src/memory/cuda_check.hpp"
#include "variants/jacobi/cuda/many_steps.cuh"
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
