// SPDX-License-Identifier: Apache-2.0
// portcost solve with a graph: the distances of all pairs of its vertices, from a file to a file.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "perf/solve/solving.hpp"
#include "src/files/graph.hpp"
#include "src/files/npy.hpp"
#include "src/support/reject.hpp"

namespace portcost {

namespace {

// Before anything of n^2 elements, or of n, is allocated.
void check_vertices(const SolveOptions& options, const Algorithm& algorithm, const Problem& problem,
                    Place place, std::int64_t n) {
  const double pairs = static_cast<double>(n) * static_cast<double>(n);
  const double size = static_cast<double>(bytes(problem.type)), hops = options.paths ? 4 : 0;
  const double instance = algorithm.footprint(problem);
  const std::string what = fmt::format("{} has {} vertices, and the distances of all pairs in {}",
                                       options.graph, n, name(problem.type));
  const double on_host = place == Place::host ? instance + pairs * size : pairs * (2 * size + hops);
  check_memory(what, on_host, place, instance, "take a smaller graph");
  algorithm.validate(problem);
}

// A path that the type does not hold would pass for none.
void check_lengths(const SolveOptions& options, const Graph& graph, ElementType type,
                   const GraphSolver& solver) {
  const double bound = longest_path_bound(graph);
  if (type == ElementType::i32) {
    if (bound <= solver.longest_whole_path) return;
    reject("{}: a path may be as long as {:.0f}, and i32 holds {:.0f} here: solve with --type f32",
           options.graph, bound, solver.longest_whole_path);
  }
  // Half of it, because two paths are added up before the shorter way is taken.
  const double most = (type == ElementType::f32 ? std::numeric_limits<float>::max()
                                                : std::numeric_limits<double>::max()) /
                      2;
  if (bound <= most) return;
  reject(
      "{}: a path may be as long as {:.3g}, and {} holds {:.3g} here: divide all lengths by "
      "a power of 2",
      options.graph, bound, name(type), most);
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

template <class T>
Buffer<std::byte> lengths_of(const Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices);
  Buffer<std::byte> lengths(n * n * sizeof(T), Place::host);
  write_lengths(graph, std::span<T>(reinterpret_cast<T*>(lengths.data()), n * n));
  return lengths;
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

int refuse_rounding(const SolveOptions& options, ElementType type, std::int64_t vertex) {
  fmt::print(stderr,
             "portcost: {}: rounding in {} puts vertex {} on a negative cycle, which is none: give "
             "whole lengths, and --type i32\n",
             options.graph, name(type), vertex + 1);
  return 1;
}

// What the roundings of f32 do to distances; empty: nothing. Sums of lengths are exact up to 2^24
// times the unit of all lengths. Without negative lengths a sum that was rounded stays at that or
// above.
std::string rounding_text(const Graph& graph, const DistanceSummary& summary,
                          const EdgeList& list) {
  if (list.rounded > 0) {
    return fmt::format("f32 rounds {} of the file's lengths (the first: {})", list.rounded,
                       list.first_rounded);
  }
  const double exact = 0x1p24 * unit_of(graph);
  const bool any_negative =
      std::ranges::any_of(graph.edges, [](const Edge& edge) { return edge.length < 0; });
  const bool may_round =
      any_negative ? longest_path_bound(graph) > exact : summary.diameter >= exact;
  return may_round ? fmt::format("f32 rounds sums of these lengths above {:.15g}", exact) : "";
}

// True where --type i32 takes the file. The factor makes up for lengths that f32 has rounded down.
bool fits_i32(const Graph& graph, const EdgeList& list, const GraphSolver& solver) {
  return list.fits_i32 && longest_path_bound(graph) * (1 + 0x1p-23) <= solver.longest_whole_path;
}

template <class T>
void describe(const Graph& graph, const DistanceSummary& summary) {
  const std::int64_t n = graph.vertices;
  fmt::print("  vertices         {}\n", n);
  fmt::print("  edges            {}{}\n", graph.edges.size(), left_out_text(graph));
  fmt::print("  reachable pairs  {} of {}\n", summary.reachable, n * (n - 1));
  fmt::print("  diameter         {}\n", diameter_text<T>(summary));
}

// The names of what was written.
std::vector<std::string> write_files(const SolveOptions& options, ElementType type, std::int64_t n,
                                     std::span<const std::byte> distances,
                                     std::span<const std::byte> next_hops) {
  if (options.out.empty()) return {"nothing: --out FILE.npy"};
  NpyFile out(options.out, options.replace);
  out.write(type, n, n, distances);
  if (!options.paths) {
    out.finish();
    return {out.path()};
  }
  NpyFile next(beside(options.out, "next"), options.replace);
  next.write(ElementType::i32, n, n, next_hops);
  next.finish();
  out.finish();
  return {out.path(), next.path()};
}

template <class T>
int solve_as(const SolveOptions& options, const Algorithm& algorithm, const Variant& variant,
             const Problem& problem, EdgeList list, double reading) {
  const GraphSolver& solver = *algorithm.graph_solver;
  const Clock clock;
  const Graph graph = graph_of({list.vertices, std::move(list.edges)});
  check_lengths(options, graph, problem.type, solver);
  if (const auto cycle = negative_cycle(graph)) return refuse_cycle(options, *cycle);
  const auto make = [&](Stream& stream) {
    return solver.make(problem, lengths_of<T>(graph).span(), stream);
  };
  Solved solution = solved(problem, variant, make,
                           options.paths ? std::vector<std::string_view>{"distance", "next"}
                                         : std::vector<std::string_view>{"distance"});
  const auto pairs =
      static_cast<std::size_t>(graph.vertices) * static_cast<std::size_t>(graph.vertices);
  const std::span<const T> distances = solution.elements<T>("distance", pairs);
  const std::span<std::int32_t> next =
      options.paths ? solution.elements<std::int32_t>("next", pairs) : std::span<std::int32_t>();
  const DistanceSummary summary = summary_of(distances, graph.vertices);
  if (summary.negative >= 0) return refuse_rounding(options, problem.type, summary.negative);
  const std::int64_t mended = options.paths ? mend_next_hops(graph, distances, next) : 0;

  fmt::print("{} of {}, {}\n", algorithm.name, options.graph, name(problem.type));
  describe<T>(graph, summary);
  const std::string rounding = std::is_same_v<T, float> ? rounding_text(graph, summary, list) : "";
  if (!rounding.empty()) {
    fmt::print("  rounding         {}{}\n", rounding,
               fits_i32(graph, list, solver) ? "; --type i32 does not" : "");
  }
  fmt::print("  time             {}, {:.3g} G updates/s (n^3 / time), {}\n", time_text(solution),
             std::pow(static_cast<double>(graph.vertices), 3) / solution.seconds * 1e-9,
             variant_name(algorithm, variant));
  if (mended > 0) {
    fmt::print("  next hops        made anew for {} targets, because of cycles of length 0\n",
               mended);
  }
  fmt::print("  written          {}\n",
             fmt::join(write_files(options, problem.type, graph.vertices, std::as_bytes(distances),
                                   std::as_bytes(next)),
                       ", "));
  fmt::print("  in all           {}\n", readable_time(reading + clock.seconds()));
  return 0;
}

void check_targets(const SolveOptions& options) {
  if (options.out.empty()) {
    if (options.paths) throw UsageError("--paths without --out: name a file, --out FILE.npy");
    return;
  }
  check_not_read(options.out, options.graph);
  if (options.paths) check_not_read(beside(options.out, "next"), options.graph);
  const NpyFile out(options.out, options.replace);
  if (options.paths) const NpyFile next(beside(options.out, "next"), options.replace);
}

}  // namespace

int solve_graph(const SolveOptions& options, const Algorithm& algorithm) {
  const GraphSolver& solver = *algorithm.graph_solver;
  check_options(options, "--graph");
  const ElementType type = chosen_type(algorithm, options.type, solver.standard_type);
  const std::optional<Model> model = model_of(options.model);
  // A model that is not here is said before a file is read.
  variants_here(algorithm, solver.steps, solver.problem(1, type, options.paths), model);
  check_targets(options);
  const Clock clock;
  EdgeList list = read_edge_list(options.graph, type);
  const std::int64_t n = list.vertices;
  if (n > solver.most_vertices) {
    reject("{} has {} vertices, and {} takes {} at most: take a smaller graph", options.graph, n,
           algorithm.name, solver.most_vertices);
  }
  const Problem problem = solver.problem(n, type, options.paths);
  const Variant& variant = chosen_variant(algorithm, solver.steps, problem, model);
  check_vertices(options, algorithm, problem, variant.place, n);
  const double reading = clock.seconds();
  return with_type(type, [&]<class T>(T) {
    return solve_as<T>(options, algorithm, variant, problem, std::move(list), reading);
  });
}

}  // namespace portcost
