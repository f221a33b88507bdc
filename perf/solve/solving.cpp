// SPDX-License-Identifier: Apache-2.0
#include "perf/solve/solving.hpp"

#include <algorithm>
#include <filesystem>

#include "src/support/reject.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost {

namespace {

// Those of a model in the order in which the solver names their steps.
std::vector<const Variant*> variants_of(const Algorithm& algorithm,
                                        const std::vector<std::string_view>& steps, Model model,
                                        bool over_ranks) {
  std::vector<const Variant*> found;
  for (const std::string_view step : steps) {
    for (const Variant& variant : over_ranks ? algorithm.over_ranks : algorithm.variants) {
      if (variant.step == step && variant.model == model && variant.way == Way::tuned &&
          variant.dials.empty() && runs_here(variant)) {
        found.push_back(&variant);
      }
    }
  }
  return found;
}

Array on_host(Array array, const Stream& stream) {
  if (array.bytes.place() == Place::host) return array;
  Buffer<std::byte> bytes(array.bytes.size(), Place::host);
  bytes.copy_from(array.bytes, stream);
  array.bytes = std::move(bytes);
  return array;
}

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
      solvers.empty() ? "none of this build does" : joined(solvers, ", ") + " can";
  if (found != nullptr) reject("{} cannot be run on a file of yours: {}", name, known);
  for (const LeftOut& missing : left_out()) {
    if (missing.name != name) continue;
    reject("{} is left out of this build ({})", name, how_to_build_all);
  }
  reject("'{}' is no algorithm: did you mean '{}'? {}", name,
         nearest_name(name, solvers.empty() ? all : solvers), known);
}

}  // namespace

std::optional<Model> model_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::vector<std::string> known;
  for (const Model model : {Model::cuda, Model::kokkos, Model::openmp, Model::reference}) {
    if (name(model) == text) return model;
    known.emplace_back(name(model));
  }
  reject("model '{}' is unknown: {}", text, did_you_mean(text, known));
}

std::vector<const Variant*> variants_here(const Algorithm& algorithm, StepsOf steps,
                                          const Problem& problem,
                                          const std::optional<Model>& model) {
  for (const Model one : model ? std::vector{*model} : std::vector{Model::cuda, Model::openmp}) {
    auto found = variants_of(algorithm, steps(problem, one), one, problem.ranks > 0);
    if (!found.empty()) return found;
  }
  if (!model) throw Failure("no native variant runs on this machine");
  const bool device =
      *model == Model::cuda || (*model == Model::kokkos && kokkos_place() == Place::device);
  const std::string why = !device             ? "this build has no such variant"
                          : PORTCOST_HAS_CUDA ? "no CUDA device answers"
                                              : "this build is for the host";
  reject("--model {}: {}: leave it away, or name another", name(*model), why);
}

const Variant& chosen_variant(const Algorithm& algorithm, StepsOf steps, const Problem& problem,
                              const std::optional<Model>& model) {
  const auto variants = variants_here(algorithm, steps, problem, model);
  for (const Variant* const variant : variants) {
    if (variant->unfit(problem).empty()) return *variant;
  }
  reject("{}: take another --model or another --type",
         unfit_text(algorithm, problem, *variants.front()));
}

ElementType chosen_type(const Algorithm& algorithm, const std::string& named,
                        ElementType standard) {
  if (named.empty()) return standard;
  const std::vector<std::string> names{named};
  return select_types(algorithm, names).front();
}

void check_memory(const std::string& what, double on_host, Place place, double instance,
                  std::string_view remedy) {
  for (const auto& [where, needed] :
       {std::pair(Place::host, on_host), std::pair(place, instance)}) {
    const double available = available_bytes(where);
    if (needed <= 0.95 * available) continue;
    reject("{} need {:.0f} bytes of {} memory, where {:.0f} are free: {}", what, needed,
           name(where), available, remedy);
  }
}

void check_options(const SolveOptions& options, std::string_view file) {
  struct Option {
    std::string_view name, file;
    bool given;
  };
  const bool graph = !options.graph.empty(), matrix = !options.matrix.empty();
  for (const Option& option : {Option{"--graph", "--graph", graph},
                               {"--paths", "--graph", options.paths},
                               {"--matrix", "--matrix", matrix},
                               {"--rhs", "--matrix", !options.rhs.empty()},
                               {"--size", "--size", !options.size.empty()},
                               {"--parameter", "--size", !options.parameters.empty()}}) {
    if (!option.given || option.file == file) continue;
    reject("{} has no meaning for {}, which {}: leave it away", option.name, options.algorithm,
           file == "--size" ? "reads no file" : fmt::format("reads {} FILE", file));
  }
  if (file == "--size" || (file == "--graph" ? graph : matrix)) return;
  reject("{} reads a file of yours: name it, {} FILE", options.algorithm, file);
}

void check_not_read(const std::string& out, const std::string& read) {
  for (const std::string& written : {out, out + ".part"}) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(written, read, ignored)) continue;
    reject("--out {} writes {}, a file that is read: name another file", out, written);
  }
}

Array& Solved::array(std::string_view name) {
  const auto found = std::ranges::find(arrays, name, &Array::name);
  require(found != arrays.end(), fmt::format("an answer with {}", name));
  return *found;
}

void Solved::require_count(const Array& array, ElementType type, std::size_t count) {
  require(array.type == type && array.bytes.size() == count * bytes(type),
          fmt::format("an answer with {} elements of {} in {}", count, name(type), array.name));
}

std::string time_text(const Solved& solution) {
  return fmt::format("{} (one run, the first)", readable_time(solution.seconds));
}

void run_told(const Problem& problem, Instance& instance, Execution& execution,
              const FieldSolver* solver, bool speaks) {
  for (int phase = 0; phase < execution.phases(); ++phase) {
    const std::int64_t told = solver == nullptr ? -1 : solver->told(problem, phase);
    if (speaks && told >= 0) fmt::print(stderr, "Iteration {}\n", told);
    execution.run(phase);
    instance.stream().synchronize();
    if (execution.ends(phase)) return;
  }
}

Solved solved(const Problem& problem, const Variant& variant,
              const std::function<std::unique_ptr<Instance>(Stream&)>& make,
              const std::vector<std::string_view>& wanted, const FieldSolver* solver) {
  std::unique_ptr<KokkosGuard> kokkos;
  if (variant.portable) kokkos = std::make_unique<KokkosGuard>();
  Stream stream(variant.place);
  const std::unique_ptr<Instance> instance = make(stream);
  const std::unique_ptr<Execution> execution = variant.make(problem, *instance);
  instance->reset();
  stream.synchronize();
  Solved result;
  const Clock clock;
  run_told(problem, *instance, *execution, solver);
  result.seconds = clock.seconds();
  Answer answer = instance->answer();
  for (Array& array : answer.arrays) {
    if (std::ranges::find(wanted, array.name) == wanted.end()) continue;
    result.arrays.push_back(on_host(std::move(array), stream));
  }
  return result;
}

int solve(const SolveOptions& options) {
  const Algorithm& algorithm = algorithm_to_solve(options.algorithm);
  if (algorithm.field_solver != nullptr) return solve_field(options, algorithm);
  if (options.ranks != nullptr) {
    reject("portcost solve {} is work of one process: {}", algorithm.name, without_launcher);
  }
  return algorithm.graph_solver != nullptr ? solve_graph(options, algorithm)
                                           : solve_equations(options, algorithm);
}

}  // namespace portcost
