// SPDX-License-Identifier: Apache-2.0
// CUB's histogram over the whole device. It zeroes the counts itself.
#include <cub/device/device_histogram.cuh>

#include "variants/histogram/problem.hpp"
#include "variants/shared/cuda_cub.cuh"

namespace portcost::histogram {

Rungs library_cub_rungs() {
  return {rung(works, "cub", [](const Keys& s, const Stream& on) {
    return cub_call(on, [s](void* memory, std::size_t& bytes, cudaStream_t stream) {
      if (memory != nullptr && s.n == 0) {  // CUB promises nothing for no samples
        return cudaMemsetAsync(s.out, 0, s.bins * sizeof(unsigned), stream);
      }
      return cub::DeviceHistogram::HistogramEven(memory, bytes, s.in, s.out,
                                                 static_cast<int>(s.bins) + 1, 0u, s.bins,
                                                 static_cast<int>(s.n), stream);
    });
  })};
}

}  // namespace portcost::histogram
