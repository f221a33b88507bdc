// SPDX-License-Identifier: Apache-2.0
// Native on GPUs: a thread an element.
#include "axpy/problem.hpp"
#include "src/memory/cuda_check.hpp"

namespace portcost::axpy {

namespace {

template <class T>
__global__ void __launch_bounds__(threads) plain_kernel(Work<T> s) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < s.n) s.out[i] = rule(s.a, s.x[i], s.y[i]);
}

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "plain", [](const auto& s, const Stream& on) {
    const auto blocks = static_cast<unsigned>(ceil_div(s.n, std::uint64_t{threads}));
    plain_kernel<<<blocks, threads, 0, on.native()>>>(s);
    cuda_check(cudaGetLastError());
  })};
}

}  // namespace portcost::axpy
