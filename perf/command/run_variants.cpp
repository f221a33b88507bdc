// SPDX-License-Identifier: Apache-2.0
// portcost run: variants alone, without timing or comparison, for profilers and debuggers. portcost
// timeline: when the copies and kernels of a run began and ended.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "perf/command/commands.hpp"
#include "src/timing/timeline.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost {

namespace {

// An algorithm's one problem, and what is run on it: in one place, so that only one place's data is
// in memory at a time.
struct RunWork {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  std::vector<const Variant*> variants;
};

bool chosen(const RunOptions& options, const Algorithm& algorithm, const Variant& variant) {
  const auto& filters = options.filters;
  return variant.model != Model::reference ||
         std::ranges::find(filters, variant_name(algorithm, variant)) != filters.end();
}

std::vector<Problem> problems_of(const RunOptions& options, const Algorithm& algorithm,
                                 Place place) {
  std::vector<std::string> types;
  if (options.type) types.push_back(*options.type);
  const std::vector<Size> standard = algorithm.sizes(Campaign::standard, place);
  const std::vector<Parameters> sets =
      parse_parameter_sets(options.parameters, algorithm.parameter_keys);
  std::vector<Problem> result;
  for (const Size& size : select_sizes(algorithm, options.sizes, {standard.front()})) {
    for (const Parameters& set : sets) {
      result.push_back({size, set, select_types(algorithm, types).front(), options.seed});
    }
  }
  return result;
}

// The problem with those of `variants` that take it; the others are named, unless one alone is
// asked for.
RunWork fitting(const Algorithm& algorithm, const Problem& problem,
                std::vector<const Variant*> variants, bool one_alone) {
  const Variant& first = *variants.front();
  std::erase_if(variants, [&](const Variant* variant) {
    if (variant->unfit(problem).empty()) return false;
    if (!one_alone) {
      fmt::print(stderr, "portcost: {}\n", unfit_text(algorithm, problem, *variant));
    }
    return true;
  });
  if (variants.empty()) throw UsageError(unfit_text(algorithm, problem, first));
  return {&algorithm, problem, std::move(variants)};
}

void run_variant(const Variant& variant, const Problem& problem, Instance& instance, int repeat) {
  const auto execution = variant.make(problem, instance);
  const Subject subject{&instance, execution.get(), Sync::end};
  for (int i = 0; i < repeat; ++i) {
    instance.reset();
    profiled(instance.stream(), [&] { subject.run(); });
  }
}

void print_rows(const RunWork& work, const Variant& variant, const std::vector<Span>& spans,
                const Judgement& judgement) {
  const Problem& problem = work.problem;
  const std::string name_of_it = variant_name(*work.algorithm, variant);
  Json head{{"kind", "timeline"},
            {"variant", name_of_it},
            {"size", to_json(problem.size)},
            {"parameters", to_json(problem.parameters)},
            {"type", name(problem.type)},
            {"processor", processor_name(variant.place)},
            {"truth", judgement.truth},
            {"right", judgement.fault.empty()}};
  if (!judgement.fault.empty()) head["fault"] = judgement.fault;
  fmt::print("{}\n", head.dump());
  for (const Span& span : spans) {
    const Json row{{"kind", "span"},      {"variant", name_of_it}, {"what", span.what},
                   {"piece", span.piece}, {"queue", span.queue},   {"begin_s", span.begin_s},
                   {"end_s", span.end_s}};
    fmt::print("{}\n", row.dump());
  }
  flush_output();
}

// The last of the runs; the ones before have made the events, and the machine awake. Empty: the
// variant has nothing to tell.
std::vector<Span> spans_of(Execution& execution, Instance& instance, int repeat) {
  Timeline timeline(instance.stream().place());
  if (!execution.write_to(timeline)) return {};
  const Subject subject{&instance, &execution, Sync::end};
  for (int i = 0; i < repeat; ++i) {
    instance.reset();
    instance.stream().synchronize();
    timeline.start(instance.stream());
    subject.run();
    instance.stream().synchronize();
  }
  return timeline.spans();
}

// What the options choose of what this machine can run. Throws UsageError where that is nothing.
std::vector<RunWork> plan_runs(const RunOptions& options) {
  std::vector<RunWork> work;
  for (const Choice& choice : select_variants(options.filters)) {
    const Algorithm& algorithm = *choice.algorithm;
    for (const Place place : {Place::host, Place::device}) {
      std::vector<const Variant*> variants;
      for (const Variant* variant : choice.variants) {
        if (variant->place == place && runs_here(*variant) && chosen(options, algorithm, *variant))
          variants.push_back(variant);
      }
      if (variants.empty()) continue;
      for (const Problem& problem : problems_of(options, algorithm, place)) {
        check_problem(algorithm, problem, place);
        work.push_back(fitting(algorithm, problem, variants, choice.variants.size() == 1));
      }
    }
  }
  if (work.empty()) {
    throw UsageError(
        "nothing to run: no chosen variant runs on this machine (a reference runs only when it is "
        "named in full)");
  }
  return work;
}

// Calls f(work, variant, instance) for each variant that is to be run.
template <class F>
void for_each_run(const RunOptions& options, const F& f) {
  const std::vector<RunWork> all = plan_runs(options);
  std::unique_ptr<KokkosGuard> kokkos;
  if (kokkos_place() == Place::host || device_present()) kokkos = std::make_unique<KokkosGuard>();
  for (const RunWork& work : all) {
    Stream stream(work.variants.front()->place);
    const auto instance = work.algorithm->make(work.problem, stream);
    for (const Variant* variant : work.variants) f(work, *variant, *instance);
  }
}

}  // namespace

int run_variants(const RunOptions& options) {
  for_each_run(options, [&](const RunWork& work, const Variant& variant, Instance& instance) {
    const auto& [algorithm, problem, variants] = work;
    run_variant(variant, problem, instance, options.repeat);
    fmt::print("{} {} {}\n", variant_name(*algorithm, variant), problem.size.text(),
               name(problem.type));
    if (const std::string set = changed(problem.parameters, algorithm->parameter_keys).text();
        !set.empty()) {
      fmt::print("parameters {}\n", set);
    }
    for (const Prediction& one : algorithm->predicted(problem, variant)) {
      fmt::print("predicted {} {:.0f}\n", one.counter, one.value);
    }
    std::fflush(stdout);
  });
  return 0;
}

int timeline(const RunOptions& options) {
  int told = 0, wrong = 0;
  for_each_run(options, [&](const RunWork& work, const Variant& variant, Instance& instance) {
    const auto execution = variant.make(work.problem, instance);
    const std::vector<Span> spans = spans_of(*execution, instance, options.repeat);
    if (spans.empty()) {
      fmt::print(stderr, "portcost: {} has no timeline\n", variant_name(*work.algorithm, variant));
      return;
    }
    ++told;
    const Judgement judgement =
        work.algorithm->judge(work.problem, variant.step, instance.answer(), instance);
    print_rows(work, variant, spans, judgement);
    wrong += !judgement.fault.empty();
  });
  if (told == 0) {
    throw UsageError("no chosen variant has a timeline: name those of transfer_overlap");
  }
  return wrong > 0 ? 1 : 0;
}

}  // namespace portcost
