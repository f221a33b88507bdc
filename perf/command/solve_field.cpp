// SPDX-License-Identifier: Apache-2.0
// portcost solve without a file of the user's: a field on a grid, from sizes and parameters to a
// file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "perf/command/solving.hpp"
#include "perf/command/text.hpp"
#include "src/contract/field_solver.hpp"
#include "src/support/error.hpp"
#include "src/support/npy.hpp"

namespace portcost {

namespace {

// Those that the user gives, and the solver's own defaults for the others.
Parameters parameters_of(const Algorithm& algorithm, const std::string& given) {
  const auto keys = algorithm.parameter_keys;
  const auto mine =
      given.empty() ? std::vector<Parameters::Entry>() : given_parameters(given, keys);
  std::string text = given;
  for (const auto& [key, value] :
       given_parameters(std::string(algorithm.field_solver->parameters), keys)) {
    const bool named = std::any_of(mine.begin(), mine.end(), [&, name = key](const auto& entry) {
      return entry.first == name;
    });
    if (named) continue;
    const Parameters one({{key, value}});
    text += (text.empty() ? "" : ",") + one.text();
  }
  return parse_parameters(text, keys);
}

// The instance, and the field on the host.
void check_size(const Algorithm& algorithm, const Problem& problem, Place place) {
  constexpr std::string_view remedy = "take a smaller --size";
  const double instance = algorithm.footprint(problem);
  const double field =
      algorithm.field_solver->nodes(problem) * static_cast<double>(bytes(problem.type));
  const std::string what =
      fmt::format("{} {} in {}", algorithm.name, problem.size.text(), name(problem.type));
  check_memory(what, Place::host, place == Place::host ? instance + field : field, remedy);
  if (place != Place::host) check_memory(what, place, instance, remedy);
}

std::string written(const SolveOptions& options, const Array& field) {
  if (options.out.empty()) return "nothing: --out FILE.npy or FILE.raw";
  NpyFile out(options.out, options.replace, NpyFile::Endings::npy_or_raw);
  out.write(field.type, static_cast<std::int64_t>(field.shape.at(0)),
            static_cast<std::int64_t>(field.shape.at(1)), {field.bytes.data(), field.bytes.size()});
  out.finish();
  return out.path();
}

template <class T>
bool all_finite(const Array& field) {
  const T* const values = reinterpret_cast<const T*>(field.bytes.data());
  return std::all_of(values, values + field.count(), [](T value) { return std::isfinite(value); });
}

// What was found on the way, where the parameters ask for it: of the last residual that is there.
template <class T>
void describe_checks(const Solved& solution) {
  double residual = std::nan("");
  for (const Array& array : solution.arrays) {
    if (array.name == "sweeps") {
      fmt::print("  sweeps           {}\n",
                 *reinterpret_cast<const std::int32_t*>(array.bytes.data()));
    }
    if (array.name != "residual") continue;
    const T* const values = reinterpret_cast<const T*>(array.bytes.data());
    for (std::size_t i = 0; i < array.count() && !std::isnan(values[i]); ++i) residual = values[i];
  }
  if (!std::isnan(residual)) fmt::print("  residual         {:.6g} (the greatest)\n", residual);
}

}  // namespace

int solve_field(const SolveOptions& options, const Algorithm& algorithm) {
  const FieldSolver& solver = *algorithm.field_solver;
  check_options(options, "--size");
  const Problem problem{options.size.empty() ? parse_size("", algorithm.size_keys)
                                             : parse_size(options.size, algorithm.size_keys),
                        parameters_of(algorithm, options.parameters),
                        chosen_type(algorithm, options.type, solver.standard_type)};
  algorithm.validate(problem);
  const Variant& variant =
      chosen_variant(algorithm, solver.steps, problem, model_of(options.model));
  if (!options.out.empty()) {
    const NpyFile out(options.out, options.replace, NpyFile::Endings::npy_or_raw);
  }
  const Clock clock;
  check_size(algorithm, problem, variant.place);
  Solved solution =
      solved(problem, variant, [&](Stream& stream) { return algorithm.make(problem, stream); },
             {solver.field, "residual", "sweeps"});
  const Array& field = solution.array(solver.field);
  const bool wide = problem.type == ElementType::f64;
  if (!(wide ? all_finite<double>(field) : all_finite<float>(field))) {
    fmt::print(stderr, "portcost: {}: the field is not finite in {}{}\n", algorithm.name,
               name(problem.type), wide ? "" : ": take --type f64");
    return 1;
  }
  fmt::print("{} {}, {}\n", algorithm.name, problem.size.text(), name(problem.type));
  const Parameters turned = changed(problem.parameters, algorithm.parameter_keys);
  if (!turned.entries().empty()) fmt::print("  parameters       {}\n", turned.text());
  wide ? describe_checks<double>(solution) : describe_checks<float>(solution);
  fmt::print("  time             {}, {}\n", readable_time(solution.seconds),
             variant_name(algorithm, variant));
  fmt::print("  written          {}\n", written(options, field));
  fmt::print("  in all           {}\n", readable_time(clock.seconds()));
  return 0;
}

}  // namespace portcost
