// SPDX-License-Identifier: Apache-2.0
// portcost timeline: when the copies and kernels of a run began and ended.
#include "src/timing/timeline.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "perf/command/commands.hpp"
#include "src/machine/machine.hpp"
#include "src/support/error.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost {

namespace {

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

}  // namespace

int timeline(const RunOptions& options) {
  const std::vector<RunWork> all = plan_runs(options);
  std::unique_ptr<KokkosGuard> kokkos;
  if (kokkos_place() == Place::host || device_present()) kokkos = std::make_unique<KokkosGuard>();
  int told = 0, wrong = 0;
  for (const RunWork& work : all) {
    Stream stream(work.variants.front()->place);
    const auto instance = work.algorithm->make(work.problem, stream);
    for (const Variant* variant : work.variants) {
      const auto execution = variant->make(work.problem, *instance);
      const std::vector<Span> spans = spans_of(*execution, *instance, options.repeat);
      if (spans.empty()) {
        fmt::print(stderr, "portcost: {} has no timeline\n",
                   variant_name(*work.algorithm, *variant));
        continue;
      }
      ++told;
      const Judgement judgement =
          work.algorithm->judge(work.problem, variant->step, instance->answer(), *instance);
      print_rows(work, *variant, spans, judgement);
      wrong += !judgement.fault.empty();
    }
  }
  if (told == 0) {
    throw UsageError("no chosen variant has a timeline: name those of transfer_overlap");
  }
  return wrong > 0 ? 1 : 0;
}

}  // namespace portcost
