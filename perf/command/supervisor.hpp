// SPDX-License-Identifier: Apache-2.0
// Measuring in a process of its own, so that what a variant does to it ends no campaign.
#pragma once

#include "perf/command/commands.hpp"

namespace portcost {

/// bench() in a child process. Where that crashes, or shows no sign of life for the options'
/// patience, while a variant ran, the record gets a "failure" row and another child goes on without
/// the variant. In the child this returns, too, or throws: both with the exit status to be had from
/// it. Signals that ask to stop are passed on, and the child ends when this process does.
int supervise(BenchOptions options);

}  // namespace portcost
