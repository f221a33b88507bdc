// SPDX-License-Identifier: Apache-2.0
// portcost solve: the distances of all pairs of a graph's vertices, from a file to a file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "perf/command/commands.hpp"
#include "perf/command/text.hpp"
#include "src/contract/graph_solver.hpp"
#include "src/contract/names.hpp"
#include "src/graphs/shortest_paths.hpp"
#include "src/support/error.hpp"
#include "src/support/npy.hpp"
#include "src/timing/stopwatch.hpp"
#include "variants/kokkos_runtime.hpp"

namespace portcost {

namespace {

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<std::string> names_of_solvers() {
  std::vector<std::string> names;
  for (const Algorithm* algorithm : catalogue()) {
    if (algorithm->graph_solver != nullptr) names.emplace_back(algorithm->name);
  }
  return names;
}

const Algorithm& algorithm_to_solve(const std::string& name) {
  const std::vector<std::string> solvers = names_of_solvers();
  const Algorithm* const found = find_algorithm(name);
  if (found != nullptr && found->graph_solver != nullptr) return *found;
  const std::string known =
      solvers.empty() ? "none of this build does" : fmt::format("{} can", fmt::join(solvers, ", "));
  if (found != nullptr) {
    throw UsageError(fmt::format("{} cannot be run on a graph: {}", name, known));
  }
  for (const LeftOut& missing : left_out()) {
    if (missing.name != name) continue;
    throw UsageError(fmt::format("{} is left out of this build ({})", name, how_to_build_all));
  }
  std::vector<std::string> all;
  for (const Algorithm* algorithm : catalogue()) all.emplace_back(algorithm->name);
  throw UsageError(fmt::format("'{}' is no algorithm: did you mean '{}'? {} solve a graph", name,
                               nearest_name(name, solvers.empty() ? all : solvers), known));
}

bool runs_here(const Variant& variant) { return variant.place == Place::host || device_present(); }

// The variant of a model that the solver names first; null where there is none.
const Variant* variant_of(const Algorithm& algorithm, const Problem& problem, Model model) {
  for (const std::string_view step : algorithm.graph_solver->steps(problem, model)) {
    for (const Variant& variant : algorithm.variants) {
      if (variant.step == step && variant.model == model && variant.way == Way::tuned &&
          variant.dials.empty() && runs_here(variant)) {
        return &variant;
      }
    }
  }
  return nullptr;
}

std::optional<Model> model_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::vector<std::string> known;
  for (const Model model : {Model::cuda, Model::kokkos, Model::openmp, Model::reference}) {
    if (name(model) == text) return model;
    known.emplace_back(name(model));
  }
  throw UsageError(fmt::format("model '{}' is unknown: did you mean '{}'? Known: {}", text,
                               nearest_name(text, known), fmt::join(known, ", ")));
}

// Of the native model where the problem runs fastest, unless one is named.
const Variant& chosen_variant(const Algorithm& algorithm, const Problem& problem,
                              const std::optional<Model>& model) {
  for (const Model one : model ? std::vector{*model} : std::vector{Model::cuda, Model::openmp}) {
    const Variant* const found = variant_of(algorithm, problem, one);
    if (found != nullptr) return *found;
  }
  if (!model) throw Failure("no native variant runs on this machine");
  const bool device =
      *model == Model::cuda || (*model == Model::kokkos && kokkos_place() == Place::device);
  const std::string why = !device             ? "this build has no such variant"
                          : PORTCOST_HAS_CUDA ? "no CUDA device answers"
                                              : "this build is for the host";
  throw UsageError(
      fmt::format("--model {}: {}: leave it away, or name another", name(*model), why));
}

void check_memory(const std::string& graph, const Problem& problem, Place place, double needed,
                  std::int64_t vertices) {
  const double available = available_bytes(place);
  if (needed <= 0.95 * available) return;
  throw UsageError(
      fmt::format("{} has {} vertices, and the distances of all pairs in {} need "
                  "{:.0f} bytes of {} memory, where {:.0f} are free: take a smaller "
                  "graph",
                  graph, vertices, name(problem.type), needed, name(place), available));
}

// Before anything of n^2 elements, or of n, is allocated.
void check_size(const SolveOptions& options, const Algorithm& algorithm, const Problem& problem,
                Place place, std::int64_t n, bool paths) {
  const double pairs = static_cast<double>(n) * static_cast<double>(n);
  const double size = static_cast<double>(bytes(problem.type)), hops = paths ? 4 : 0;
  const double instance = algorithm.footprint(problem);
  const bool on_host = place == Place::host;
  check_memory(options.graph, problem, Place::host,
               on_host ? instance + pairs * size : pairs * (2 * size + hops), n);
  if (!on_host) check_memory(options.graph, problem, place, instance, n);
  algorithm.validate(problem);
}

void check_whole_lengths(const SolveOptions& options, const Graph& graph,
                         const GraphSolver& solver) {
  const double longest = longest_path_bound(graph);
  if (longest <= solver.longest_whole_path) return;
  throw UsageError(fmt::format(
      "{}: a path may be as long as {:.0f}, and i32 holds {:.0f} here: solve with --type f32",
      options.graph, longest, solver.longest_whole_path));
}

// "3 -> 8 -> 3", as numbered in the file.
std::string cycle_text(const Cycle& cycle) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(cycle.vertices.size(), most); ++i) {
    text += fmt::format("{} -> ", cycle.vertices[i] + 1);
  }
  if (cycle.vertices.size() > most) {
    text += fmt::format("... ({} more) -> ", cycle.vertices.size() - most);
  }
  return text + std::to_string(cycle.vertices.front() + 1);
}

// A part of an answer on the host.
Buffer<std::byte> on_host(Array array, const Stream& stream) {
  if (array.bytes.place() == Place::host) return std::move(array.bytes);
  Buffer<std::byte> result(array.bytes.size(), Place::host);
  copy_bytes(result.data(), Place::host, array.bytes.data(), array.bytes.place(), result.size(),
             stream);
  stream.synchronize();
  return result;
}

template <class T>
std::span<T> elements(const Buffer<std::byte>& bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

struct Solution {
  Buffer<std::byte> distances, next;  // the second only where it was requested
  double seconds = 0;
};

template <class T>
Buffer<std::byte> lengths_of(const Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices);
  Buffer<std::byte> lengths(n * n * sizeof(T), Place::host);
  write_lengths(graph, elements<T>(lengths));
  return lengths;
}

template <class T>
Solution solution_of(const Graph& graph, const GraphSolver& solver, const Problem& problem,
                     const Variant& variant, bool paths) {
  std::unique_ptr<KokkosGuard> kokkos;
  if (variant.portable) kokkos = std::make_unique<KokkosGuard>();
  Stream stream(variant.place);
  const std::unique_ptr<Instance> instance =
      solver.make(problem, lengths_of<T>(graph).span(), stream);
  const std::unique_ptr<Execution> execution = variant.make(problem, *instance);
  instance->reset();
  stream.synchronize();
  Solution solution;
  const Clock clock;
  Subject{instance.get(), execution.get(), Sync::end}.run();
  stream.synchronize();
  solution.seconds = clock.seconds();
  Answer answer = instance->answer();
  for (Array& array : answer.arrays) {
    if (array.name == "distance") {
      solution.distances = on_host(std::move(array), stream);
    } else if (paths && array.name == "next") {
      solution.next = on_host(std::move(array), stream);
    }
  }
  const auto pairs =
      static_cast<std::size_t>(graph.vertices) * static_cast<std::size_t>(graph.vertices);
  require(solution.distances.size() == pairs * sizeof(T) &&
              (!paths || solution.next.size() == pairs * sizeof(std::int32_t)),
          "an answer of all pairs");
  return solution;
}

std::string left_out_text(const Graph& graph) {
  std::vector<std::string> parts;
  if (graph.repeated > 0) parts.push_back(fmt::format("{} repeated ones", graph.repeated));
  if (graph.loops > 0) parts.push_back(fmt::format("{} from a vertex to itself", graph.loops));
  return parts.empty() ? "" : fmt::format(" (left out: {})", fmt::join(parts, ", "));
}

// "1234 (from 3 to 8)"; whole numbers without a point.
template <class T>
std::string diameter_text(const DistanceSummary& summary) {
  if (summary.reachable == 0) return "none: no vertex reaches another";
  return fmt::format("{} (from {} to {})", static_cast<T>(summary.diameter), summary.from + 1,
                     summary.to + 1);
}

int refuse_cycle(const SolveOptions& options, const Cycle& cycle) {
  fmt::print(stderr,
             "portcost: {}: vertex {} is on a negative cycle, of length {} ({}), so there are no "
             "shortest paths\n",
             options.graph, cycle.vertices.front() + 1, cycle.length, cycle_text(cycle));
  return 1;
}

int refuse_rounding(const SolveOptions& options, std::int64_t vertex) {
  fmt::print(stderr,
             "portcost: {}: rounding in {} puts vertex {} on a negative cycle, which is none: give "
             "whole lengths, and --type i32\n",
             options.graph, options.type, vertex + 1);
  return 1;
}

template <class T>
void describe(const Graph& graph, const DistanceSummary& summary) {
  const std::int64_t n = graph.vertices;
  fmt::print("  vertices         {}\n", n);
  fmt::print("  edges            {}{}\n", graph.edges.size(), left_out_text(graph));
  fmt::print("  reachable pairs  {} of {}\n", summary.reachable, n * (n - 1));
  fmt::print("  diameter         {}\n", diameter_text<T>(summary));
  constexpr double exact_in_f32 = 1 << 24;
  if (std::is_same_v<T, float> && summary.diameter > exact_in_f32) {
    fmt::print("                   f32 rounds whole numbers above {:.0f}; --type i32 does not\n",
               exact_in_f32);
  }
}

// The names of what was written.
std::vector<std::string> write_files(const SolveOptions& options, ElementType type, std::int64_t n,
                                     const Solution& solution) {
  if (options.out.empty()) return {"nothing: --out FILE.npy"};
  NpyFile out(options.out, options.replace);
  out.write(type, n, n, solution.distances.span());
  if (!options.paths) {
    out.finish();
    return {out.path()};
  }
  NpyFile next(beside(options.out, "next"), options.replace);
  next.write(ElementType::i32, n, n, solution.next.span());
  next.finish();
  out.finish();
  return {out.path(), next.path()};
}

template <class T>
int solve_as(const SolveOptions& options, const Algorithm& algorithm, const Variant& variant,
             const Problem& problem, EdgeList list, double reading) {
  const GraphSolver& solver = *algorithm.graph_solver;
  const Clock clock;
  const Graph graph = graph_of(std::move(list));
  if (problem.type == ElementType::i32) check_whole_lengths(options, graph, solver);
  if (const auto cycle = negative_cycle(graph)) return refuse_cycle(options, *cycle);
  const Solution solution = solution_of<T>(graph, solver, problem, variant, options.paths);
  const std::span<const T> distances = elements<T>(solution.distances);
  const DistanceSummary summary = summary_of(distances, graph.vertices);
  if (summary.negative >= 0) return refuse_rounding(options, summary.negative);
  const std::int64_t mended =
      options.paths ? mend_next_hops(graph, distances, elements<std::int32_t>(solution.next)) : 0;

  fmt::print("{} of {}, {}\n", algorithm.name, options.graph, name(problem.type));
  describe<T>(graph, summary);
  fmt::print("  time             {}, {:.3g} G updates/s (n^3 / time), {}\n",
             readable_time(solution.seconds),
             std::pow(static_cast<double>(graph.vertices), 3) / solution.seconds * 1e-9,
             variant_name(algorithm, variant));
  if (mended > 0) {
    fmt::print("  next hops        made anew for {} targets, because of cycles of length 0\n",
               mended);
  }
  fmt::print("  written          {}\n",
             fmt::join(write_files(options, problem.type, graph.vertices, solution), ", "));
  fmt::print("  in all           {}\n", readable_time(reading + clock.seconds()));
  return 0;
}

void check_targets(const SolveOptions& options) {
  if (options.out.empty()) {
    if (options.paths) throw UsageError("--paths without --out: name a file, --out FILE.npy");
    return;
  }
  std::error_code ignored;
  const NpyFile out(options.out, options.replace);
  if (options.paths) const NpyFile next(beside(options.out, "next"), options.replace);
  if (std::filesystem::equivalent(options.out, options.graph, ignored)) {
    throw UsageError(fmt::format("--out {} is the graph itself: name another file", options.out));
  }
}

}  // namespace

const char* const solve_footer =
    "Example: portcost solve floyd_warshall --graph tests/data/roads.gr --paths --out d.npy\n"
    "  then in Python: d = numpy.load('d.npy'); d[2, 6] is the distance from vertex 3 to 7, since\n"
    "  files of graphs count vertices from 1 and arrays from 0.\n"
    "Of repeated edges the shortest counts; a vertex is at distance 0 from itself.\n"
    "Memory: five matrices of n x n, nine with --paths.\n"
    "Exit status: 1 where the graph has a negative cycle, of which a vertex is named.";

int solve(const SolveOptions& options) {
  const Algorithm& algorithm = algorithm_to_solve(options.algorithm);
  const std::vector<std::string> types{options.type};
  const ElementType type = select_types(algorithm, types).front();
  const GraphSolver& solver = *algorithm.graph_solver;
  const std::optional<Model> model = model_of(options.model);
  // Which variants there are does not depend on the size.
  chosen_variant(algorithm, solver.problem(1, type, options.paths), model);
  check_targets(options);
  const Clock clock;
  EdgeList list = read_edge_list(options.graph, type);
  const std::int64_t n = list.vertices;
  if (n > solver.most_vertices) {
    throw UsageError(
        fmt::format("{} has {} vertices, and {} takes {} at most: take a smaller graph",
                    options.graph, n, algorithm.name, solver.most_vertices));
  }
  const Problem problem = solver.problem(n, type, options.paths);
  const Variant& variant = chosen_variant(algorithm, problem, model);
  check_size(options, algorithm, problem, variant.place, n, options.paths);
  const double reading = clock.seconds();
  switch (type) {
    case ElementType::i32:
      return solve_as<std::int32_t>(options, algorithm, variant, problem, std::move(list), reading);
    case ElementType::f32:
      return solve_as<float>(options, algorithm, variant, problem, std::move(list), reading);
    case ElementType::f64:
      return solve_as<double>(options, algorithm, variant, problem, std::move(list), reading);
  }
  throw Failure("an element type without a name");
}

}  // namespace portcost
