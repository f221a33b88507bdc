// SPDX-License-Identifier: Apache-2.0
// Turns CUDA status codes into Failure. Empty in a build without CUDA.
#pragma once

#if PORTCOST_HAS_CUDA
#include <cuda_runtime_api.h>

#include "src/support/error.hpp"

namespace portcost {

inline void cuda_check(cudaError_t status,
                       std::source_location where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  throw Failure(
      std::string("CUDA: ") + cudaGetErrorName(status) + ": " + cudaGetErrorString(status), where);
}

/// An attribute of the device in use.
inline int device_attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  cuda_check(cudaGetDevice(&device));
  cuda_check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

}  // namespace portcost
#endif
