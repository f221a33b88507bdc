// SPDX-License-Identifier: Apache-2.0
// The CUDA stopwatch. Only in the CUDA build.
#pragma once

#include <memory>

#include "src/timing/stopwatch.hpp"

namespace portcost {

/// Two clocks, each read where it is honest. The device clock (events) times a run queued behind a
/// bounded delay, so that no gap between launches counts as work; the wall clock times a run that
/// starts on an idle device. Runs longer than 10 ms whose enqueueing takes less than a hundredth of
/// that, and runs that wait for their own work, are timed once by both.
std::unique_ptr<Stopwatch> make_device_stopwatch(Stream& stream);

namespace detail {
/// Keeps one thread of the device busy for about `nanoseconds`; ends by itself, so a run that waits
/// inside cannot hang.
void enqueue_delay(unsigned nanoseconds, const Stream& stream);
}  // namespace detail

}  // namespace portcost
