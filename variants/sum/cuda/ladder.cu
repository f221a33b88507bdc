// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: the slides' four kernels, and a step beyond them. Each block writes one
// value; the kernel is launched again until one value is left.
#include "src/memory/cuda_check.hpp"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

// The sum of this thread's `numbers` numbers, `threads` apart; numbers past the end count as 0.
template <unsigned numbers, class T>
__device__ T load(const Launched<T>& s) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * (numbers * threads) + threadIdx.x;
  T loaded[numbers];
#pragma unroll
  for (unsigned k = 0; k < numbers; ++k) {
    loaded[k] = i + k * threads < s.count ? s.in[i + k * threads] : T(0);
  }
  T sum = loaded[0];
#pragma unroll
  for (unsigned k = 1; k < numbers; ++k) sum += loaded[k];
  return sum;
}

// The loops below are not unrolled, as on the slides: unrolled, a modulo by a known power of two
// would become a mask.

// Slides, 1: threads whose number is a multiple of 2 s add. Warps diverge more at each stride.
template <class T>
__global__ void __launch_bounds__(threads) interleaved_kernel(Launched<T> s) {
  __shared__ T partial[threads];
  const unsigned id = threadIdx.x;
  partial[id] = load<one_number>(s);
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    if (id % (2 * stride) == 0) partial[id] += partial[id + stride];
    __syncthreads();
  }
  if (id == 0) s.out[blockIdx.x] = partial[0];
}

// Slides, 2: the first threads add, at indices 2 s apart, which have bank conflicts.
template <class T>
__global__ void __launch_bounds__(threads) strided_kernel(Launched<T> s) {
  __shared__ T partial[threads];
  const unsigned id = threadIdx.x;
  partial[id] = load<one_number>(s);
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    const unsigned index = 2 * stride * id;
    if (index < threads) partial[index] += partial[index + stride];
    __syncthreads();
  }
  if (id == 0) s.out[blockIdx.x] = partial[0];
}

// The tree of `sequential` and `first_add`: neighbouring threads add at neighbouring indices.
template <class T>
__device__ void halve_until_one(T* partial, unsigned id) {
#pragma unroll 1
  for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
    if (id < stride) partial[id] += partial[id + stride];
    __syncthreads();
  }
}

// Slides, 3.
template <class T>
__global__ void __launch_bounds__(threads) sequential_kernel(Launched<T> s) {
  __shared__ T partial[threads];
  partial[threadIdx.x] = load<one_number>(s);
  __syncthreads();
  halve_until_one(partial, threadIdx.x);
  if (threadIdx.x == 0) s.out[blockIdx.x] = partial[0];
}

// Slides, 4: each thread adds two numbers before the tree, so that half the blocks are enough.
template <class T>
__global__ void __launch_bounds__(threads) first_add_kernel(Launched<T> s) {
  __shared__ T partial[threads];
  partial[threadIdx.x] = load<two_numbers>(s);
  __syncthreads();
  halve_until_one(partial, threadIdx.x);
  if (threadIdx.x == 0) s.out[blockIdx.x] = partial[0];
}

// Beyond the slides: four numbers a thread; one warp finishes by warp shuffles, without barriers.
template <class T>
__global__ void __launch_bounds__(threads) warp_finish_kernel(Launched<T> s) {
  __shared__ T partial[threads];
  const unsigned id = threadIdx.x;
  partial[id] = load<four_numbers>(s);
  __syncthreads();
#pragma unroll
  for (unsigned stride = threads / 2; stride > lanes; stride /= 2) {
    if (id < stride) partial[id] += partial[id + stride];
    __syncthreads();
  }
  if (id >= lanes) return;
  T sum = partial[id] + partial[id + lanes];
#pragma unroll
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(~0u, sum, offset);
  }
  if (id == 0) s.out[blockIdx.x] = sum;
}

template <class T>
void launch(void (*kernel)(Launched<T>), unsigned numbers, const Numbers<T>& s,
            const Stream& stream) {
  launch_until_one(
      s, [numbers](std::uint64_t count) { return ceil_div(count, numbers * threads); },
      [&](const Launched<T>& launched, int teams) {
        kernel<<<static_cast<unsigned>(teams), threads, 0, stream.native()>>>(launched);
        cuda_check(cudaGetLastError());
      });
}

constexpr auto interleaved = []<class T>(const Numbers<T>& s, const Stream& stream) {
  launch(interleaved_kernel<T>, one_number, s, stream);
};

constexpr auto strided = []<class T>(const Numbers<T>& s, const Stream& stream) {
  launch(strided_kernel<T>, one_number, s, stream);
};

constexpr auto sequential = []<class T>(const Numbers<T>& s, const Stream& stream) {
  launch(sequential_kernel<T>, one_number, s, stream);
};

constexpr auto first_add = []<class T>(const Numbers<T>& s, const Stream& stream) {
  launch(first_add_kernel<T>, two_numbers, s, stream);
};

constexpr auto warp_finish = []<class T>(const Numbers<T>& s, const Stream& stream) {
  launch(warp_finish_kernel<T>, four_numbers, s, stream);
};

}  // namespace

Rungs cuda_ladder_rungs() {
  return {rung(works, "interleaved", interleaved), rung(works, "strided", strided),
          rung(works, "sequential", sequential), rung(works, "first_add", first_add),
          rung(works, "warp_finish", warp_finish)};
}

}  // namespace portcost::sum
