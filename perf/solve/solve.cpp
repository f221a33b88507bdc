// SPDX-License-Identifier: Apache-2.0
// portcost solve: an algorithm on a file of the user's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "perf/solve/solving.hpp"
#include "src/contract/names.hpp"
#include "src/support/error.hpp"

namespace portcost {

namespace {

bool can_solve(const Algorithm& algorithm) {
  return algorithm.graph_solver != nullptr || algorithm.equation_solver != nullptr ||
         algorithm.field_solver != nullptr;
}

const Algorithm& algorithm_to_solve(const std::string& name) {
  const Algorithm* const found = find_algorithm(name);
  if (found != nullptr && can_solve(*found)) return *found;
  std::vector<std::string> all, solvers;
  for (const Algorithm* algorithm : catalogue()) {
    all.emplace_back(algorithm->name);
    if (can_solve(*algorithm)) solvers.emplace_back(algorithm->name);
  }
  const std::string known =
      solvers.empty() ? "none of this build does" : fmt::format("{} can", fmt::join(solvers, ", "));
  if (found != nullptr) {
    throw UsageError(fmt::format("{} cannot be run on a file of yours: {}", name, known));
  }
  for (const LeftOut& missing : left_out()) {
    if (missing.name != name) continue;
    throw UsageError(fmt::format("{} is left out of this build ({})", name, how_to_build_all));
  }
  throw UsageError(fmt::format("'{}' is no algorithm: did you mean '{}'? {}", name,
                               nearest_name(name, solvers.empty() ? all : solvers), known));
}

}  // namespace

int solve(const SolveOptions& options) {
  const Algorithm& algorithm = algorithm_to_solve(options.algorithm);
  if (algorithm.field_solver != nullptr) return solve_field(options, algorithm);
  if (options.ranks != nullptr) {
    throw UsageError(fmt::format(
        "portcost solve {} is work of one process: start it without a launcher (mpirun, srun)",
        algorithm.name));
  }
  return algorithm.graph_solver != nullptr ? solve_graph(options, algorithm)
                                           : solve_equations(options, algorithm);
}

}  // namespace portcost
