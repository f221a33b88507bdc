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

template <class Then>
void launch_all(const Work& s, cudaStream_t stream, const Then& then) {
  with_functor(s, [&](const auto& map) {
    const auto blocks = static_cast<unsigned>(ceil_div(s.n, threads));
    for (int k = 0; k < s.kernels; ++k) {
      map_kernel<<<blocks, threads, 0, stream>>>(map);
      then();
    }
  });
  cuda_check(cudaGetLastError());
}
void launch_all(const Work& s, cudaStream_t stream) {
  launch_all(s, stream, [] {});
}

}  // namespace

Rungs cuda_rungs() {
  return {
      rung(works, "in_turn", [](const Work& s, const Stream& on) { launch_all(s, on.native()); }),
      rung(works, "graph",
           [](const Work& s, const Stream& on) -> std::unique_ptr<Execution> {
             return std::make_unique<StreamGraph>(
                 on, false, [&](const GraphStreams& streams) { launch_all(s, streams.ahead); });
           }),
      fenced_step("fence_instance",
                  [](const Work& s, const Stream& on) {
                    launch_all(s, on.native(),
                               [&] { cuda_check(cudaStreamSynchronize(on.native())); });
                  }),
      fenced_step("fence_device", [](const Work& s, const Stream& on) {
        launch_all(s, on.native(), [] { cuda_check(cudaDeviceSynchronize()); });
      })};
}

}  // namespace portcost::launches
