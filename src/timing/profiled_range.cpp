// SPDX-License-Identifier: Apache-2.0
#include "src/timing/profiled_range.hpp"

#if PORTCOST_HAS_CUDA
#include <cuda_profiler_api.h>

#include "src/memory/cuda_check.hpp"
#endif

namespace portcost {

void profiled(const Stream& stream, const std::function<void()>& work) {
  stream.synchronize();
#if PORTCOST_HAS_CUDA
  if (stream.place() == Place::device) cuda_check(cudaProfilerStart());
#endif
  work();
  stream.synchronize();
#if PORTCOST_HAS_CUDA
  if (stream.place() == Place::device) cuda_check(cudaProfilerStop());
#endif
}

}  // namespace portcost
