// SPDX-License-Identifier: Apache-2.0
// CUB's sum over the whole device.
#include <cub/device/device_reduce.cuh>

#include "variants/shared/cuda_cub.cuh"
#include "variants/sum/problem.hpp"

namespace portcost::sum {

Rungs library_cub_rungs() {
  return {rung(works, "cub", []<class T>(const Numbers<T>& s, const Stream& on) {
    return cub_call(on, [s](void* memory, std::size_t& bytes, cudaStream_t stream) {
      return with_count(s.n, [&](auto n) {
        return cub::DeviceReduce::Sum(memory, bytes, s.in, s.out, n, stream);
      });
    });
  })};
}

}  // namespace portcost::sum
