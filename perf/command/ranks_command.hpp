// SPDX-License-Identifier: Apache-2.0
// What the command line says of several processes.
#pragma once

#include <string>
#include <vector>

#include "src/memory/ranks.hpp"

namespace CLI {
class App;
}

namespace portcost {

struct RanksOptions {
  const Ranks* ranks = nullptr;  // those that a launcher has started; null: this process by itself
  std::string wanted;            // how many, as typed; empty: not said
};

/// Adds --ranks and --share-gpus.
void add_ranks(CLI::App* sub, RanksOptions& options, bool& share_gpus);

/// Adds --patience for a command that several processes may do; by itself none is looked at.
void add_patience(CLI::App* sub, double& patience_s);
/// Throws UsageError where it cannot be.
void check_patience(double patience_s);

/// Before several processes do anything: refuses commands that are work of one, and ranks of other
/// builds, with other words or in another number than was wanted. Collective.
void join_ranks(const CLI::App& chosen, const RanksOptions& options,
                const std::vector<std::string>& words);

/// The words that the record at `path` was begun with, read by rank 0, whose record it is.
/// Collective.
std::vector<std::string> arguments_to_resume(const RanksOptions& options, const std::string& path);

}  // namespace portcost
