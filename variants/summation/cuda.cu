// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: a thread adds 16 bytes of each of its block's rows in registers, a block
// joins its threads' sums in shared memory, a last launch joins the blocks' sums.
#include "src/memory/cuda_check.hpp"
#include "variants/summation/problem.hpp"

namespace portcost::summation {

namespace {

template <class T>
using Wide16 = Pack<T, Place::device>;
template <class T>
inline constexpr unsigned width = Wide16<T>::length;

// Joins the accumulators of a block's threads into the first. All threads call join_block().
template <class Step, class Sum>
__device__ void join_block(Sum* box) {
  const unsigned id = threadIdx.x;
  __syncthreads();
  if constexpr (Step::tree) {
    for (unsigned half = threads / 2; half > 0; half /= 2) {
      if (id < half) box[id].join(box[id + half]);
      __syncthreads();
    }
  } else if (id == 0) {
    for (unsigned i = 1; i < threads; ++i) box[0].join(box[i]);
  }
}

// The pack of thread `threadIdx.x` in row `r`; numbers past the end are 0.
template <class T>
__device__ Wide16<T> load(const Launched<T>& s, std::uint64_t r) {
  const std::uint64_t pack = r * threads + threadIdx.x;
  if ((pack + 1) * width<T> <= s.n) return reinterpret_cast<const Wide16<T>*>(s.in)[pack];
  Wide16<T> some;
#pragma unroll
  for (unsigned j = 0; j < width<T>; ++j) {
    some.at[j] = pack * width<T> + j < s.n ? s.in[pack * width<T> + j] : T(0);
  }
  return some;
}

template <class Step, class T>
__global__ void __launch_bounds__(threads) add_teams_kernel(Launched<T> s) {
  using Sum = typename Step::template Of<T>;
  __shared__ alignas(16) unsigned char memory[threads * sizeof(Sum)];
  Sum* const box = reinterpret_cast<Sum*>(memory);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * s.rows, full = s.n / row<T>;
  Sum sums[width<T>];
  if constexpr (Step::pairs) {
    Wide16<T> loaded[pair_rows];
#pragma unroll
    for (unsigned k = 0; k < pair_rows; ++k) loaded[k] = load(s, first + k);
#pragma unroll
    for (unsigned j = 0; j < width<T>; ++j) {
      T of[pair_rows];
#pragma unroll
      for (unsigned k = 0; k < pair_rows; ++k) of[k] = loaded[k].at[j];
      sums[j].sum = add_pairs(of);
    }
  } else {
    const std::uint64_t end = first + s.rows, whole = min(end, full);
    const auto* const packs = reinterpret_cast<const Wide16<T>*>(s.in) + threadIdx.x;
#pragma unroll 8
    for (std::uint64_t r = first; r < whole; ++r) {
      const Wide16<T> loaded = packs[r * threads];
#pragma unroll
      for (unsigned j = 0; j < width<T>; ++j) sums[j].add(loaded.at[j]);
    }
    if (full >= first && full < end) {
#pragma unroll
      for (unsigned j = 0; j < width<T>; ++j) {
        const std::uint64_t i = full * row<T> + threadIdx.x * width<T> + j;
        if (i < s.n) sums[j].add(s.in[i]);
      }
    }
  }
  Step::template join<width<T>>(sums);
  box[threadIdx.x] = sums[0];
  join_block<Step>(box);
  if (threadIdx.x != 0) return;
  if (s.out != nullptr) {
    box[0].store(s.out);
  } else {
    static_cast<Sum*>(s.partials)[blockIdx.x] = box[0];
  }
}

template <class Step, class Sum, class T>
__global__ void __launch_bounds__(threads)
    add_partials_kernel(const Sum* from, unsigned teams, T* out) {
  __shared__ alignas(16) unsigned char memory[threads * sizeof(Sum)];
  Sum* const box = reinterpret_cast<Sum*>(memory);
  constexpr unsigned each = most_teams / threads;
  if constexpr (Step::tree) {
    Sum sums[each];
#pragma unroll
    for (unsigned k = 0; k < each; ++k) {
      if (threadIdx.x + k * threads < teams) sums[k] = from[threadIdx.x + k * threads];
    }
    Step::template join<each>(sums);
    box[threadIdx.x] = sums[0];
    join_block<Step>(box);
    if (threadIdx.x == 0) box[0].store(out);
  } else if (threadIdx.x == 0) {
    Sum sum = from[0];
    for (unsigned i = 1; i < teams; ++i) sum.join(from[i]);
    sum.store(out);
  }
}

template <class T>
__global__ void serial_kernel(Numbers<T> s) {
  Plain<T> sum;
  for (std::uint64_t i = 0; i < s.n; ++i) sum.add(s.in[i]);
  sum.store(s.out);
}

template <class Step, class T>
void add(Step, const Numbers<T>& s, const Stream& stream) {
  using Sum = typename Step::template Of<T>;
  const auto add_teams = [&](const Launched<T>& one, int teams) {
    add_teams_kernel<Step><<<static_cast<unsigned>(teams), threads, 0, stream.native()>>>(one);
    cuda_check(cudaGetLastError());
  };
  launch_all(Step(), s, add_teams, [&](const Sum* from, int teams) {
    add_partials_kernel<Step>
        <<<1, threads, 0, stream.native()>>>(from, static_cast<unsigned>(teams), s.out);
    cuda_check(cudaGetLastError());
  });
}

template <class T>
void add(Serial, const Numbers<T>& s, const Stream& stream) {
  serial_kernel<<<1, 1, 0, stream.native()>>>(s);
  cuda_check(cudaGetLastError());
}

}  // namespace

Rungs cuda_rungs() {
  return each_method([]<class Step>(Step, std::string_view name) {
    return rung(works, name, [](const auto& s, const Stream& on) { add(Step(), s, on); });
  });
}

}  // namespace portcost::summation
