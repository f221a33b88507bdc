// SPDX-License-Identifier: Apache-2.0
// jacobi for `portcost solve`.
#include "src/contract/field_solver.hpp"
#include "variants/jacobi/problem.hpp"

namespace portcost::jacobi {

namespace {

double nodes(const Problem& p) {
  return static_cast<double>(p.size.at("rows")) * static_cast<double>(p.size.at("columns"));
}

std::vector<std::string_view> steps(const Problem&, Model model) {
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
