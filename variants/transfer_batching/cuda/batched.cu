// SPDX-License-Identifier: Apache-2.0
// Native GPU variant: all arrays by one call of the runtime, which came with CUDA 12.8.
#include "src/memory/cuda_check.hpp"
#include "variants/transfer_batching/problem.hpp"

namespace portcost::transfer_batching {

#if CUDART_VERSION >= 12080

namespace {

constexpr auto batched = []<class T>(const Batch<T>& s, const Stream& on) {
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  std::size_t first = 0;  // the attributes are those of all copies from this one on
  const auto count = static_cast<std::size_t>(s.count);
#if CUDART_VERSION >= 13000
  cuda_check(cudaMemcpyBatchAsync(s.targets, s.sources, s.sizes, count, &attributes, &first, 1,
                                  on.native()));
#else
  std::size_t failed = 0;
  cuda_check(cudaMemcpyBatchAsync(s.targets, s.sources, const_cast<std::size_t*>(s.sizes), count,
                                  &attributes, &first, 1, &failed, on.native()));
#endif
};

}  // namespace

#endif

Rungs cuda_batched_rungs() {
#if CUDART_VERSION >= 12080
  return {rung(works, "arrays_batched", batched)};
#else
  return {absent_rung("arrays_batched", "cudaMemcpyBatchAsync came with CUDA 12.8")};
#endif
}

}  // namespace portcost::transfer_batching
