// SPDX-License-Identifier: Apache-2.0
#include "perf/solve/solve_command.hpp"

namespace portcost {

void add_solve(CLI::App& app, SolveOptions& options) {
  CLI::App* sub = app.add_subcommand(
      "solve",
      "Solve a problem of your own: the distances of all pairs of a graph's vertices, a system of "
      "linear equations, or a field on a grid");
  sub->add_option("ALGORITHM", options.algorithm,
                  "floyd_warshall (takes --graph), gauss (takes --matrix) or jacobi (takes --size)")
      ->required();
  sub->add_option("--graph", options.graph,
                  "A Matrix Market coordinate file (real, integer or pattern; general or "
                  "symmetric), or a .gr file of DIMACS; directed, negative lengths allowed");
  sub->add_option("--matrix", options.matrix,
                  "The coefficients: a Matrix Market file (coordinate or array; real, integer "
                  "or pattern; general, symmetric or skew-symmetric)");
  sub->add_option("--rhs", options.rhs,
                  "The right sides: a Matrix Market file of one column, or a NumPy file (f4 or "
                  "f8) (default: the matrix times ones, so that all unknowns are 1 and the error "
                  "is seen)");
  sub->add_option("--size", options.size,
                  "Of a grid: key=value,... as `portcost list` shows; values such as 1000, 2^12, "
                  "4Ki, 1e3");
  sub->add_option("--parameter", options.parameters, "The same of its parameters");
  sub->add_option(
      "--out", options.out,
      "NumPy file. Of a graph the distances, row: from, column: to; where there is no "
      "path, inf, and 2147483647 in i32. Of equations the unknowns, in f64. Of a grid its nodes, "
      "row by row; and FILE.raw has them without a header");
  sub->add_flag("--paths", options.paths,
                "Write FILE.next.npy beside it: the vertex (from 0) behind the row's on a "
                "shortest path to the column's; -1 where there is no path, itself on the "
                "diagonal");
  sub->add_option("--type", options.type,
                  "What is calculated in. Graphs: f32, or i32 for whole lengths: exact, and as "
                  "fast (default: f32). Equations: f64 or f32 (default: f64). Grids: "
                  "the same");
  sub->add_option("--model", options.model,
                  "cuda, openmp, kokkos or reference (default: cuda where a GPU answers, else "
                  "openmp)");
  sub->add_flag("--force", options.replace, "Replace the files if they exist");
  for (const char* file : {"--graph", "--matrix", "--rhs", "--out"}) {
    sub->get_option(file)->check(why_no_file);
  }
  sub->footer(solve_footer);
}

}  // namespace portcost
