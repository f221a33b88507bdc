// SPDX-License-Identifier: Apache-2.0
// floyd_warshall on a user's graph, for `portcost solve`.
#include "src/contract/solvers.hpp"

#include <fmt/format.h>

#include "src/support/error.hpp"
#include "variants/floyd_warshall/problem.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost::floyd_warshall {

namespace {

Problem problem(std::int64_t vertices, ElementType type, bool paths) {
  const Algorithm row = algorithm();
  return {parse_size(fmt::format("n={}", vertices), row.size_keys),
          parse_parameters(paths ? "paths=on" : "", row.parameter_keys), type};
}

std::unique_ptr<Instance> make(const Problem& problem, std::span<const std::byte> lengths,
                               Stream& stream) {
  require(problem.type != ElementType::f64, "there are no kernels in f64");
  const auto made = [&]<class T>(T) {
    return instance_of<T>({reinterpret_cast<const T*>(lengths.data()), lengths.size() / sizeof(T)},
                          problem.size.at("n"), problem.parameters.number_of("paths", off_on) == 1,
                          stream);
  };
  return problem.type == ElementType::f32 ? made(float{}) : made(int{});
}

std::vector<std::string_view> steps(const Problem&, Model model) {
  const Place place = model == Model::cuda     ? Place::device
                      : model == Model::kokkos ? kokkos_place()
                                               : Place::host;
  return {best_step(model, place)};
}

}  // namespace

const GraphSolver graph_solver{.most_vertices = most_vertices,
                               .standard_type = ElementType::f32,
                               .problem = problem,
                               .make = make,
                               .steps = steps,
                               .longest_whole_path = most_length};

}  // namespace portcost::floyd_warshall
