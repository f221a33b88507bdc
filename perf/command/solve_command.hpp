// SPDX-License-Identifier: Apache-2.0
// The options of `portcost solve`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "perf/command/commands.hpp"

namespace portcost {

/// Adds the command to `app`. Where it is given, `options` holds what it is given with, and
/// `action` carries it out; both must outlive `app`.
void add_solve(CLI::App& app, SolveOptions& options, std::function<int()>& action);

}  // namespace portcost
