// SPDX-License-Identifier: Apache-2.0
// The options of `portcost solve`.
#include <CLI/CLI.hpp>

#include "perf/command/commands.hpp"

namespace portcost {

namespace {

std::string why_no_file(const std::string& name) {
  return name.empty() ? "no file is named: name one, or leave the option away" : "";
}

constexpr const char* solve_footer =
    R"(Graphs: portcost solve floyd_warshall --graph roads.gr --paths --out d.npy
  then in Python: d = numpy.load('d.npy'); d[2, 6] is the distance from vertex 3 to 7, since
  files of graphs count vertices from 1 and arrays from 0.
  Of repeated edges the shortest counts; a vertex is at distance 0 from itself.
  Memory: five matrices of n x n, nine with --paths.
Equations: portcost solve gauss --matrix a.mtx --out x.npy
  then in Python: x = numpy.load('x.npy'); x[2] is the unknown of column 3, in f64.
  Elimination exchanges no rows, and back substitution follows on the host in f64. The
  backward error is ||b - A x|| / (||A|| ||x|| + ||b||), maximum norms, against the matrix of
  the file in more digits than --type has. Entries of one element are added up. Every row of
  b - A x is held to Higham's theorem 9.4, gamma_3n |L||U||x|; 'allowed' is the greatest of
  it, on the scale of the backward error. The growth factor is of U alone: Higham's, which
  looks at every step, is no less.
  Memory: five matrices of n x n in f64, the file's text beside it.
Grids: portcost solve jacobi --size rows=1000,columns=800 --out t.npy
  then in Python: t = numpy.load('t.npy'); t[2, 6] is a node of row 2, both from 0, without the
  frame around them. --out t.raw writes the same numbers alone (numpy.fromfile).
  --parameter check_every=100,tolerance=1e-8 ends it when the residual is that small.
  Memory: five grids. mpirun -n 4 portcost solve jacobi ... shares them among 4 processes, a
  GPU each where there are GPUs; file and residuals are the same to the bit.
Exit status: 1 where the graph has a negative cycle, of which a vertex is named; where a pivot
  is 0, or so small that rounding may have made it, whose column is named (from 1, as in the
  file); and where the solution is not finite or beyond its bound.
Times are of one run, the first; portcost bench measures many.)";

}  // namespace

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
