// SPDX-License-Identifier: Apache-2.0
// jacobi for `portcost solve`.
#include "src/contract/field_solver.hpp"
#include "variants/jacobi/problem.hpp"
#include "variants/kokkos_runtime.hpp"

namespace portcost::jacobi {

namespace {

double nodes(const Problem& p) {
  return static_cast<double>(p.size.at("rows")) * static_cast<double>(p.size.at("columns"));
}

// A GPU shares with its cores what they are worth, which may be nothing.
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

}  // namespace

const FieldSolver field_solver{.field = "temperature",
                               .standard_type = ElementType::f64,
                               .parameters = "fields=zero",
                               .nodes = nodes,
                               .steps = steps};

}  // namespace portcost::jacobi
