// SPDX-License-Identifier: Apache-2.0
// Tells a profiler which part of a process is the work: inputs, resets and set-up stay out of it.
#pragma once

#include <functional>

#include "src/memory/stream.hpp"

namespace portcost {

/// Waits for `stream`, does `work`, waits again. On the device the profiler is started and stopped
/// around it, so that a profiler that is off from the start (ncu --profile-from-start off) sees the
/// work's kernels and no others. Costs nothing when no profiler looks.
void profiled(const Stream& stream, const std::function<void()>& work);

}  // namespace portcost
