// SPDX-License-Identifier: Apache-2.0
// portcost check: every variant against the serial reference, and against the algorithm's truth.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <map>
#include <string_view>

#include "perf/command/commands.hpp"
#include "src/contract/known_defect.hpp"
#include "src/support/error.hpp"
#include "src/timing/stopwatch.hpp"
#include "variants/kokkos_runtime.hpp"

namespace portcost {

namespace {

struct Tally {
  int equal = 0, unequal = 0, known = 0, skipped = 0;
  int checked() const { return equal + unequal + known; }
};

Answer run_afresh(const Variant& variant, const Problem& problem, Instance& instance) {
  const auto execution = variant.make(problem, instance);
  instance.reset();
  Subject{&instance, execution.get(), Sync::end}.run();
  return instance.answer();
}

// Counts an answer, and says what is wrong with it (nothing where `fault` is empty) and what of it
// was to be expected.
void report(const Algorithm& algorithm, const Variant& variant, const Problem& problem,
            const std::string& fault, Tally& tally) {
  const KnownDefect* const defect = known_defect(algorithm, variant, problem);
  std::string text = fault;
  if (defect != nullptr) {
    text = fault.empty() ? not_seen(*defect) : "known defect: " + text_of(*defect);
  }
  ++(fault.empty() ? tally.equal : defect != nullptr ? tally.known : tally.unequal);
  if (text.empty()) return;
  fmt::print("{} {} {}: {}\n", variant_name(algorithm, variant), problem.size.text(),
             name(problem.type), text);
}

void check_problem_with(const Choice& choice, const Problem& problem, Tally& tally) {
  const Algorithm& algorithm = *choice.algorithm;
  Stream host(Place::host);
  const auto host_instance = algorithm.make(problem, host);
  std::map<const Variant*, Answer> answers;  // of the references, made once each
  const auto expected = [&](std::string_view step) -> const Answer& {
    const Variant& reference = reference_of(algorithm, step);
    const auto [found, added] = answers.try_emplace(&reference);
    if (added) found->second = run_afresh(reference, problem, *host_instance);
    return found->second;
  };

  std::unique_ptr<Stream> device;
  std::unique_ptr<Instance> device_instance;
  if (device_present()) {
    device = std::make_unique<Stream>(Place::device);
    device_instance = algorithm.make(problem, *device);
  }
  for (const Variant* variant : choice.variants) {
    if (variant->model == Model::reference) continue;
    const bool on_host = variant->place == Place::host;
    if (!on_host && !device) {
      ++tally.skipped;
      continue;
    }
    Instance& instance = on_host ? *host_instance : *device_instance;
    const Answer answer = run_afresh(*variant, problem, instance);
    std::string fault =
        algorithm.compare(problem, answer, expected(variant->step), instance.stream()).text;
    if (fault.empty()) {
      fault = algorithm.judge(problem, variant->step, answer, instance).fault;
    }
    report(algorithm, *variant, problem, fault, tally);
  }
}

std::string summary(const Algorithm& algorithm, const Tally& tally) {
  std::string text = fmt::format("{}: {} of {} answers equal the reference's ({})", algorithm.name,
                                 tally.equal, tally.checked(), algorithm.agreement);
  if (tally.known > 0) text += fmt::format("; {} wrong by a known defect", tally.known);
  if (tally.skipped > 0) text += fmt::format("; {} skipped, no device", tally.skipped);
  return text;
}

}  // namespace

int check(const CheckOptions& options) {
  const auto choices = select_variants(options.filters);
  const std::string parameters = fmt::format("{}", fmt::join(options.parameters, ","));
  // All is looked at before anything runs.
  std::vector<std::pair<const Choice*, Problem>> work;
  for (const Choice& choice : choices) {
    const Algorithm& algorithm = *choice.algorithm;
    for (const ElementType type : select_types(algorithm, options.types)) {
      for (const Size& size : select_sizes(algorithm, options.sizes, algorithm.check_sizes())) {
        work.emplace_back(
            &choice, Problem{size, parse_parameters(parameters, algorithm.parameter_keys), type,
                             options.seed});
        check_problem(algorithm, work.back().second, Place::host);
        if (device_present()) check_problem(algorithm, work.back().second, Place::device);
      }
    }
  }
  if (PORTCOST_HAS_CUDA && !device_present()) {
    fmt::print("no CUDA device answers: only the host's variants can be checked\n");
  }
  std::unique_ptr<KokkosGuard> kokkos;
  if (kokkos_place() == Place::host || device_present()) kokkos = std::make_unique<KokkosGuard>();
  Tally total;
  for (const Choice& choice : choices) {
    Tally tally;
    for (const auto& [owner, problem] : work) {
      if (owner == &choice) check_problem_with(choice, problem, tally);
    }
    fmt::print("{}\n", summary(*choice.algorithm, tally));
    total.equal += tally.equal;
    total.unequal += tally.unequal;
    total.known += tally.known;
  }
  if (total.checked() == 0)
    throw UsageError("nothing was checked: no chosen variant runs on this machine");
  return total.unequal == 0 ? 0 : 1;
}

}  // namespace portcost
