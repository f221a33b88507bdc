// SPDX-License-Identifier: Apache-2.0
// CUB's inclusive scan over the whole device.
#include <cub/device/device_scan.cuh>

#include "variants/scan/problem.hpp"
#include "variants/shared/cuda_cub.cuh"

namespace portcost::scan {

Rungs library_cub_rungs() {
  return {rung(works, "cub", []<class T>(const Sequence<T>& s, const Stream& on) {
    return cub_call(on, [s](void* memory, std::size_t& bytes, cudaStream_t stream) {
      return with_count(s.n, [&](auto n) {
        return cub::DeviceScan::InclusiveSum(memory, bytes, s.in, s.out, n, stream);
      });
    });
  })};
}

}  // namespace portcost::scan
