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

// Kernel k goes to stream_of(k), and then(stream) follows.
template <class StreamOf, class Then>
void launch_all(const Work& s, const StreamOf& stream_of, const Then& then) {
  with_functor(s, [&](const auto& map) {
    const auto blocks = static_cast<unsigned>(ceil_div(s.n, threads));
    for (int k = 0; k < s.kernels; ++k) {
      const cudaStream_t stream = stream_of(k);
      map_kernel<<<blocks, threads, 0, stream>>>(map);
      then(stream);
    }
  });
  cuda_check(cudaGetLastError());
}
void launch_all(const Work& s, cudaStream_t stream) {
  launch_all(
      s, [=](int) { return stream; }, [](cudaStream_t) {});
}

template <class Fence>
Rung fenced(std::string_view step, const Fence& fence) {
  return fenced_step(step, [=](const Work& s, const Queues& queues) {
    launch_all(
        s, [&](int k) { return queues[k % queues.size()].native(); }, fence);
  });
}

}  // namespace

Rungs cuda_rungs() {
  return {
      rung(works, "in_turn", [](const Work& s, const Stream& on) { launch_all(s, on.native()); })
          .unless(one_stream),
      rung(works, "graph",
           [](const Work& s, const Stream& on) -> std::unique_ptr<Execution> {
             return std::make_unique<StreamGraph>(
                 on, false, [&](const GraphStreams& streams) { launch_all(s, streams.ahead); });
           })
          .unless(one_stream),
      fenced("fence_instance",
             [](cudaStream_t stream) { cuda_check(cudaStreamSynchronize(stream)); }),
      fenced("fence_device", [](cudaStream_t) { cuda_check(cudaDeviceSynchronize()); })};
}

}  // namespace portcost::launches
