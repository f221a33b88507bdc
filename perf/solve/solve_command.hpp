// SPDX-License-Identifier: Apache-2.0
// The options of `portcost solve`.
#pragma once

#include <CLI/CLI.hpp>

#include "perf/command/commands.hpp"

namespace portcost {

/// Adds the command to `app`. Where it is given, `options`, which must outlive `app`, holds what it
/// is given with.
void add_solve(CLI::App& app, SolveOptions& options);

}  // namespace portcost
