// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: the functor is the kernel's argument (from CUDA 12.1 on up to 32764 bytes).
#include <memory>

#include "src/memory/cuda_check.hpp"
#include "variants/launches/problem.hpp"
#include "variants/shared/cuda_graph.cuh"

namespace portcost::launches {

namespace {

template <class Functor>
__global__ void __launch_bounds__(threads) map_kernel(const Functor map) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < map.n) map(i);
}

// `graph`: the stream that it captures.
template <class Then>
void launch_all(const Work& s, const Then& then, cudaStream_t graph = nullptr) {
  with_functor(s, [&](const auto& map) {
    const auto blocks = static_cast<unsigned>(ceil_div(s.n, threads));
    for (int k = 0; k < s.kernels; ++k) {
      const cudaStream_t stream = graph == nullptr ? s.queue_of(k).native() : graph;
      map_kernel<<<blocks, threads, 0, stream>>>(map);
      then(stream);
    }
  });
  cuda_check(cudaGetLastError());
}
void launch_all(const Work& s, cudaStream_t graph = nullptr) {
  launch_all(
      s, [](cudaStream_t) {}, graph);
}

}  // namespace

Rungs cuda_rungs() {
  return {rung(works, "in_turn", [](const Work& s, const Stream&) { launch_all(s); }),
          rung(works, "graph",
               [](const Work& s, const Stream& on) -> std::unique_ptr<Execution> {
                 return std::make_unique<StreamGraph>(
                     on, false, [&](const GraphStreams& streams) { launch_all(s, streams.ahead); });
               }),
          fenced_step("fence_instance",
                      [](const Work& s, const Stream&) {
                        launch_all(s, [](cudaStream_t stream) {
                          cuda_check(cudaStreamSynchronize(stream));
                        });
                      }),
          fenced_step("fence_device", [](const Work& s, const Stream&) {
            launch_all(s, [](cudaStream_t) { cuda_check(cudaDeviceSynchronize()); });
          })};
}

}  // namespace portcost::launches
