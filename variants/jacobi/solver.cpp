// SPDX-License-Identifier: Apache-2.0
// jacobi for `portcost solve`.
#include "src/contract/solvers.hpp"
#include "variants/jacobi/problem.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost::jacobi {

namespace {

double nodes(const Problem& p) {
  return static_cast<double>(p.size.at("rows")) * static_cast<double>(p.size.at("columns"));
}

// Two grids that swap, the first values and the right side, each with halos.
double footprint_over_ranks(const Problem& p) {
  const std::int64_t columns = p.size.at("columns");
  const std::int64_t rows = (p.size.at("rows") + p.ranks - 1) / p.ranks + 2 * most_depth;
  const std::int64_t pitch =
      p.type == ElementType::f64 ? pitch_of<double>(columns) : pitch_of<float>(columns);
  return 4.0 * static_cast<double>(rows) * static_cast<double>(pitch) *
         static_cast<double>(bytes(p.type));
}

// A GPU gives its cores the rows that their speed justifies, perhaps none.
std::vector<std::string_view> steps_over_ranks(Model model) {
  const bool device =
      model == Model::cuda || (model == Model::kokkos && kokkos_place() == Place::device);
  return {device ? "hybrid" : "deep_halos", "overlap", "rows"};
}

std::vector<std::string_view> steps(const Problem& problem, Model model) {
  if (problem.ranks > 0) return steps_over_ranks(model);
  if (model == Model::reference) return {"naive"};
  return {"many_steps", "register_march", "naive"};
}

// As the HOWTO's program: the first multiple of 1000 in a phase; -1: none.
std::int64_t told(const Problem& p, int phase) {
  const Phases phases(p);
  const std::int64_t begin = phase == 0 ? 0 : phases.sweeps_until(phase - 1);
  const std::int64_t next = ceil_div(begin, told_sweeps) * told_sweeps;
  return next < phases.sweeps_until(phase) ? next : -1;
}

}  // namespace

const FieldSolver field_solver{.field = "temperature",
                               .standard_type = ElementType::f64,
                               .parameters = "fields=zero",
                               .nodes = nodes,
                               .footprint_over_ranks = footprint_over_ranks,
                               .steps = steps,
                               .told = told};

}  // namespace portcost::jacobi
