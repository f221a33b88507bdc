// SPDX-License-Identifier: Apache-2.0
// Measuring and checking in a process of its own, so that what a variant does to it ends no
// campaign and no check.
#pragma once

#include "perf/command/commands.hpp"

namespace portcost {

/// bench(). Where a variant fails, the record gets a "failure" row and another child goes on
/// without the variant.
int supervise(BenchOptions options);

/// check(). Where a variant fails, a line says so, and another child goes on behind it.
int supervise(CheckOptions options);

}  // namespace portcost
