// SPDX-License-Identifier: Apache-2.0
#include "src/timing/profiled_range.hpp"

#include <cuda_profiler_api.h>

#include "src/memory/cuda_check.hpp"

namespace portcost {

void detail::start_profiler() { cuda_check(cudaProfilerStart()); }
void detail::stop_profiler() { cuda_check(cudaProfilerStop()); }

}  // namespace portcost
