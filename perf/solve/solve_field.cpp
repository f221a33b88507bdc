// SPDX-License-Identifier: Apache-2.0
// portcost solve without a file of the user's: a field on a grid, from sizes and parameters to a
// file; by one process or by several.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "perf/command/watch.hpp"
#include "perf/solve/solving.hpp"
#include "src/files/npy.hpp"
#include "variants/shared/kokkos_runtime.hpp"

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
    if (std::ranges::find(mine, key, &Parameters::Entry::first) != mine.end()) continue;
    const Parameters one({{key, value}});
    text += (text.empty() ? "" : ",") + one.text();
  }
  return parse_parameters(text, keys);
}

// The instance, and the field on the host.
void check_size(const Algorithm& algorithm, const Problem& problem, Place place) {
  const double instance = algorithm.footprint(problem);
  const double field =
      algorithm.field_solver->nodes(problem) * static_cast<double>(bytes(problem.type));
  const std::string what =
      fmt::format("{} {} in {}", algorithm.name, problem.size.text(), name(problem.type));
  check_memory(what, place == Place::host ? instance + field : field, place, instance,
               "take a smaller --size");
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

Problem problem_of(const SolveOptions& options, const Algorithm& algorithm) {
  check_options(options, "--size");
  Problem problem{parse_size(options.size, algorithm.size_keys),
                  parameters_of(algorithm, options.parameters),
                  chosen_type(algorithm, options.type, algorithm.field_solver->standard_type)};
  algorithm.validate(problem);
  return problem;
}

void check_out(const SolveOptions& options) {
  if (options.out.empty()) return;
  const NpyFile out(options.out, options.replace, NpyFile::Endings::npy_or_raw);
}

int not_finite(const Algorithm& algorithm, const Problem& problem) {
  fmt::print(stderr, "portcost: {}: the field is not finite in {}{}\n", algorithm.name,
             name(problem.type), problem.type == ElementType::f64 ? "" : ": take --type f64");
  return 1;
}

void describe(const Algorithm& algorithm, const Problem& problem, const Variant& variant,
              const Solved& solution) {
  fmt::print("{} {}, {}\n", algorithm.name, problem.size.text(), name(problem.type));
  const Parameters turned = changed(problem.parameters, algorithm.parameter_keys);
  if (!turned.entries().empty()) fmt::print("  parameters       {}\n", turned.text());
  problem.type == ElementType::f64 ? describe_checks<double>(solution)
                                   : describe_checks<float>(solution);
  if (problem.ranks > 0) fmt::print("  processes        {}\n", problem.ranks);
  fmt::print("  time             {}, {}\n", time_text(solution), variant_name(algorithm, variant));
}

// Of all ranks the same variant: the first that takes the problem, or else the last, which says by
// itself why it does not.
const Variant& variant_over_ranks(const SolveOptions& options, const Algorithm& algorithm,
                                  const Problem& problem) {
  const auto found =
      variants_here(algorithm, algorithm.field_solver->steps, problem, model_of(options.model));
  for (const Variant* const variant : found) {
    if (variant->unfit(problem).empty()) return *variant;
  }
  return *found.back();
}

// What a watch is told: there is one way of running it, and so no regime.
Json row_of(const Algorithm& algorithm, const Problem& problem, const Variant& variant) {
  Json row = failure_of({&algorithm, problem, Regime::hot, {}}, variant);
  row.erase("regime");
  return row;
}

void write_together(const SolveOptions& options, const Problem& problem, FieldOverRanks& field) {
  if (options.out.empty()) return;
  const auto [rows, columns] = field.field_extents();
  const bool raw = options.out.ends_with(".raw");
  field.write_field(options.out, raw ? "" : npy_header(problem.type, rows, columns));
}

}  // namespace

int solve_field_over_ranks(const SolveOptions& options, const Algorithm& algorithm) {
  const Ranks& ranks = *options.ranks;
  const Clock clock;
  Problem problem;
  const Variant* variant = nullptr;
  ranks.together([&] {
    problem = problem_of(options, algorithm);
    problem.ranks = ranks.size();
    variant = &variant_over_ranks(options, algorithm, problem);
    if (ranks.is_first()) check_out(options);
  });
  const std::optional<int> device =
      variant->place == Place::device ? device_of(ranks, options.share_gpus) : std::nullopt;
  check_problem(algorithm, problem, variant->place, ranks,
                algorithm.field_solver->footprint_over_ranks);
  std::unique_ptr<KokkosGuard> kokkos;
  if (variant->portable) kokkos = std::make_unique<KokkosGuard>(device);
  Stream stream(variant->place, ranks);
  const std::unique_ptr<Instance> instance = algorithm.instance(problem, stream);
  // A process by itself exchanges nothing, and may take its time.
  Watch* const watch = ranks.size() > 1 ? options.watch : nullptr;
  const auto report = [&](Doing doing) {
    if (watch != nullptr) watch->about_to(row_of(algorithm, problem, *variant), doing);
  };
  report(Doing::made);
  const std::unique_ptr<Execution> execution = variant->make(problem, *instance);
  instance->reset();
  stream.synchronize();
  ranks.barrier();
  report(Doing::first_run);
  const Clock running;
  run_told(problem, *instance, *execution, algorithm.field_solver, ranks.is_first());
  Solved solution;
  solution.seconds = ranks.slowest(running.seconds());
  if (watch != nullptr) watch->rest();  // file systems, too, may take theirs
  auto* const field = dynamic_cast<FieldOverRanks*>(instance.get());
  require(field != nullptr, "an instance over ranks whose field can be written");
  if (!field->field_is_finite()) return ranks.is_first() ? not_finite(algorithm, problem) : 1;
  solution.arrays = field->found().arrays;
  write_together(options, problem, *field);
  if (!ranks.is_first()) return 0;
  describe(algorithm, problem, *variant, solution);
  fmt::print("  written          {}\n",
             options.out.empty() ? "nothing: --out FILE.npy or FILE.raw" : options.out);
  fmt::print("  in all           {}\n", readable_time(clock.seconds()));
  return 0;
}

int solve_field(const SolveOptions& options, const Algorithm& algorithm) {
  if (options.ranks != nullptr) return solve_field_over_ranks(options, algorithm);
  const FieldSolver& solver = *algorithm.field_solver;
  const Problem problem = problem_of(options, algorithm);
  const std::optional<Model> model = model_of(options.model);
  const Variant& variant = chosen_variant(algorithm, solver.steps, problem, model);
  check_out(options);
  const Clock clock;
  check_size(algorithm, problem, variant.place);
  Solved solution = solved(
      problem, variant, [&](Stream& stream) { return algorithm.make(problem, stream); },
      {solver.field, "residual", "sweeps"}, &solver);
  const Array& field = solution.array(solver.field);
  const bool wide = problem.type == ElementType::f64;
  if (!(wide ? all_finite<double>(field) : all_finite<float>(field))) {
    return not_finite(algorithm, problem);
  }
  describe(algorithm, problem, variant, solution);
  fmt::print("  written          {}\n", written(options, field));
  fmt::print("  in all           {}\n", readable_time(clock.seconds()));
  return 0;
}

}  // namespace portcost
