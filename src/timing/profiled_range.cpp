// SPDX-License-Identifier: Apache-2.0
#include "src/timing/profiled_range.hpp"

namespace portcost {

void profiled(const Stream& stream, const std::function<void()>& work) {
  stream.synchronize();
#if PORTCOST_HAS_CUDA
  if (stream.place() == Place::device) detail::start_profiler();
#endif
  work();
  stream.synchronize();
#if PORTCOST_HAS_CUDA
  if (stream.place() == Place::device) detail::stop_profiler();
#endif
}

}  // namespace portcost
