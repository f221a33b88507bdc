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

std::string why_no_file(const std::string& name) {
  return name.empty() ? "no file is named: name one, or leave the option away" : "";
}

const char* const solve_footer =
    "Graphs: portcost solve floyd_warshall --graph roads.gr --paths --out d.npy\n"
    "  then in Python: d = numpy.load('d.npy'); d[2, 6] is the distance from vertex 3 to 7, since\n"
    "  files of graphs count vertices from 1 and arrays from 0.\n"
    "  Of repeated edges the shortest counts; a vertex is at distance 0 from itself.\n"
    "  Memory: five matrices of n x n, nine with --paths.\n"
    "Equations: portcost solve gauss --matrix a.mtx --out x.npy\n"
    "  then in Python: x = numpy.load('x.npy'); x[2] is the unknown of column 3, in f64.\n"
    "  Elimination exchanges no rows, and back substitution follows on the host in f64. The\n"
    "  backward error is ||b - A x|| / (||A|| ||x|| + ||b||), maximum norms, against the matrix "
    "of\n"
    "  the file in more digits than --type has. Entries of one element are added up. Every row of\n"
    "  b - A x is held to Higham's theorem 9.4, gamma_3n |L||U||x|; 'allowed' is the greatest of\n"
    "  it, on the scale of the backward error. The growth factor is of U alone: Higham's, which\n"
    "  looks at every step, is no less.\n"
    "  Memory: five matrices of n x n in f64, the file's text beside it.\n"
    "Grids: portcost solve jacobi --size rows=1000,columns=800 --out t.npy\n"
    "  then in Python: t = numpy.load('t.npy'); t[2, 6] is a node of row 2, both from 0, without "
    "the\n"
    "  frame around them. --out t.raw writes the same numbers alone (numpy.fromfile).\n"
    "  --parameter check_every=100,tolerance=1e-8 ends it when the residual is that small.\n"
    "  Memory: five grids. mpirun -n 4 portcost solve jacobi ... shares them among 4 processes, a\n"
    "  GPU each where there are GPUs; file and residuals are the same to the bit.\n"
    "Exit status: 1 where the graph has a negative cycle, of which a vertex is named; where a "
    "pivot\n"
    "  is 0, or so small that rounding may have made it, whose column is named (from 1, as in the\n"
    "  file); and where the solution is not finite or beyond its bound.\n"
    "Times are of one run, the first; portcost bench measures many.";

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
