// SPDX-License-Identifier: Apache-2.0
// gauss on a user's equations, for `portcost solve`.
#include <fmt/format.h>

#include "src/contract/solvers.hpp"
#include "variants/gauss/problem.hpp"

namespace portcost::gauss {

namespace {

Problem problem(std::int64_t unknowns, ElementType type) {
  const Algorithm row = algorithm();
  return {parse_size(fmt::format("n={}", unknowns), row.size_keys),
          parse_parameters("", row.parameter_keys), type};
}

std::unique_ptr<Instance> make(const Problem& problem, std::span<const std::byte> rows,
                               Stream& stream) {
  const auto made = [&]<class T>(T) {
    return instance_of<T>({reinterpret_cast<const T*>(rows.data()), rows.size() / sizeof(T)},
                          problem.size.at("n"), static_cast<int>(problem.parameters.whole("r1")),
                          stream);
  };
  return problem.type == ElementType::f32 ? made(float{}) : made(double{});
}

// The fastest first. A GPU that cannot run whole_tile (its shared memory, Variant::unfit) gets the
// next step; tensor_cores is for f64 alone.
std::vector<std::string_view> steps(const Problem&, Model model) {
  if (model == Model::reference) return {"naive"};
  return {"whole_tile",      "tensor_cores", "async_copies", "priorities",
          "delayed_updates", "narrow_tiles", "look_ahead",   "panel"};
}

}  // namespace

const EquationSolver equation_solver{.most_unknowns = most_unknowns,
                                     .standard_type = ElementType::f64,
                                     .problem = problem,
                                     .make = make,
                                     .steps = steps};

}  // namespace portcost::gauss
