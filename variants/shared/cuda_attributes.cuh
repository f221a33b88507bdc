// SPDX-License-Identifier: Apache-2.0
// The abilities of the current GPU, for steps that not every GPU can run.
#pragma once

#include <cuda_runtime_api.h>

namespace portcost {

/// An attribute of the current GPU; 0 without a GPU, which others report.
inline int gpu_attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  if (cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&value, which, device) == cudaSuccess) {
    return value;
  }
  cudaGetLastError();
  return 0;
}

/// True where the GPU's compute capability is below 9.0.
inline bool gpu_before_9() {
  const int major = gpu_attribute(cudaDevAttrComputeCapabilityMajor);
  return major > 0 && major < 9;
}

}  // namespace portcost
