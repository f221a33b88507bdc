// SPDX-License-Identifier: Apache-2.0
// portcost check: every variant against the serial reference, and against the algorithm's truth.

#include <algorithm>
#include <set>

#include "perf/command/commands.hpp"
#include "perf/command/watch.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost {

namespace {

// The data of one problem in one place: this process's, or its share.
struct Data {
  Data(const Algorithm& algorithm, const Problem& problem, Place place, const Ranks& ranks)
      : stream(place, ranks), instance(algorithm.instance(problem, stream)) {}
  Stream stream;
  std::unique_ptr<Instance> instance;
};

// Of a step that does not take problems for one reason: the answers that are missing, one a variant
// and problem.
struct NotTaken {
  int answers = 0;
  std::set<const Problem*> problems = {};
  std::string first = {};  // problem
};
using NotTakenBy = std::map<std::pair<std::string_view, std::string>, NotTaken>;  // step and reason

// One problem, and the variants that are checked on it.
class ProblemCheck {
 public:
  ProblemCheck(const Choice& choice, const Problem& problem, const CheckOptions& options,
               Tally& tally)
      : algorithm_(*choice.algorithm),
        tally_(tally),
        watch_(options.watch),
        ranks_(options.all_ranks()) {
    group_ = {&algorithm_, problem, Regime::cold, {}};
    for (const Variant* variant : choice.variants) {
      if (variant->model != Model::reference) checked_.push_back(variant);
    }
    group_.variants = checked_;
    for (const Variant* variant : checked_) {
      const Variant* const reference = &reference_of(algorithm_, variant->step);
      const auto& all = group_.variants;
      if (std::ranges::find(all, reference) == all.end()) {
        group_.variants.push_back(reference);
      }
    }
    failed_ = failed_of(options.failures, group_);
  }

  int size() const { return static_cast<int>(checked_.size()); }

  void add_unfit(NotTakenBy& all) const {
    for (const Variant* variant : checked_) {
      const std::string why = variant->unfit(group_.problem);
      if (why.empty() || !runs_here(*variant)) continue;
      NotTaken& row = all[{variant->step, why}];
      ++row.answers;
      row.problems.insert(&group_.problem);
      if (row.answers > 1) continue;
      row.first = fmt::format("{} {}", group_.problem.size.text(), name(group_.problem.type));
    }
  }

  // All but the first `done`, which have been checked.
  void run(int done) {
    if (watch_ != nullptr) watch_->begin(group_);
    // The reference is rank 0's, and so is the whole problem.
    ranks_.together([&] {
      if (!over_ranks() || !ranks_.is_first()) return;
      Problem whole = group_.problem;
      whole.ranks = 0;
      for_reference_ = std::make_unique<Data>(algorithm_, whole, Place::host, alone());
    });
    host_ = make(Place::host);
    if (device_present()) device_ = make(Place::device);
    for (int i = done; i < size(); ++i) check(*checked_[i]);
    expected_.clear();
    device_.reset();
    host_.reset();
    for_reference_.reset();
  }

 private:
  bool over_ranks() const { return group_.problem.ranks > 0; }

  // Over ranks only where a variant will need it: it is memory on all of them.
  std::unique_ptr<Data> make(Place place) const {
    if (over_ranks() && std::ranges::none_of(checked_, [&](const Variant* variant) {
          return variant->place == place && variant->unfit(group_.problem).empty();
        })) {
      return nullptr;
    }
    return std::make_unique<Data>(algorithm_, group_.problem, place, ranks_);
  }

  void check(const Variant& variant) {
    const Variant& reference = reference_of(algorithm_, variant.step);
    if (!runs_here(variant)) {
      ++tally_.skipped;
    } else if (const auto why_not = variant.unfit(group_.problem); !why_not.empty()) {
      ++tally_.unfit;                         // and said in the summary
    } else if (failed_.contains(&variant)) {  // and that was said
      ++tally_.failed;
    } else if (const auto failed = failed_.find(&reference); failed != failed_.end()) {
      say(variant, "not compared, since " + failed->second);
      ++tally_.failed;
    } else {
      report(variant, guarded(watch_, [&] { return fault_of(variant, reference); }));
    }
  }

  // What is wrong with its answer; empty: nothing.
  std::string fault_of(const Variant& variant, const Variant& reference) {
    Instance& instance = *(variant.place == Place::host ? host_ : device_)->instance;
    const Answer answer = run_afresh(variant, instance);
    std::string fault;
    ranks_.together([&] {
      if (ranks_.is_first()) fault = fault_of(variant, reference, answer, instance);
    });
    return ranks_.from_first(fault);
  }

  // Of several ranks on the one that has the answer.
  std::string fault_of(const Variant& variant, const Variant& reference, const Answer& answer,
                       const Instance& instance) {
    const auto [expected, added] = expected_.try_emplace(&reference);
    Data& serial = over_ranks() ? *for_reference_ : *host_;
    if (added) expected->second = run_afresh(reference, *serial.instance);
    std::string fault =
        algorithm_.compare(group_.problem, answer, expected->second, instance.stream()).text;
    if (!fault.empty()) return fault;
    return algorithm_.judge(group_.problem, variant.step, answer, instance).fault;
  }

  Answer run_afresh(const Variant& variant, Instance& instance) {
    about_to(variant, Doing::made);
    auto execution = variant.make(group_.problem, instance);
    about_to(variant, Doing::first_run);
    instance.reset();
    Subject{&instance, execution.get(), Sync::end}.run();
    Answer answer = instance.answer();
    about_to(variant, Doing::released);
    execution.reset();
    if (watch_ != nullptr) watch_->done();
    return answer;
  }

  void about_to(const Variant& variant, Doing doing) const {
    if (watch_ != nullptr) watch_->about_to(variant, doing);
  }

  // Counts an answer, and says what is wrong with it (nothing where `fault` is empty) and what of
  // it was to be expected.
  void report(const Variant& variant, const std::string& fault) {
    const KnownDefect* const defect = known_defect(algorithm_, variant, group_.problem);
    std::string text = fault;
    if (defect != nullptr) {
      text = fault.empty() ? not_seen(texts_of(*defect))
                           : "known defect: " + text_of(texts_of(*defect));
    }
    if (!text.empty()) say(variant, text);
    ++(fault.empty() ? tally_.equal : defect != nullptr ? tally_.known : tally_.unequal);
  }

  void say(const Variant& variant, const std::string& text) const {
    fmt::print("{} {} {}: {}\n", variant_name(algorithm_, variant), group_.problem.size.text(),
               name(group_.problem.type), text);
    flush_output();  // what is counted is not printed again after a crash
  }

  const Algorithm& algorithm_;
  Tally& tally_;
  Watch* watch_;
  Group group_;  // the references as well
  std::vector<const Variant*> checked_;
  FailedVariants failed_;
  const Ranks& ranks_;
  std::unique_ptr<Data> host_, device_, for_reference_;
  std::map<const Variant*, Answer> expected_;  // of the references, made once each
};

std::string summary(const Algorithm& algorithm, const Tally& tally) {
  std::string text = fmt::format("{}: {} of {} answers equal the reference's ({})", algorithm.name,
                                 tally.equal, tally.checked(), algorithm.agreement);
  if (tally.known > 0) text += fmt::format("; {} wrong by a known defect", tally.known);
  if (tally.failed > 0) text += fmt::format("; {} failed", tally.failed);
  if (tally.unfit > 0) text += fmt::format("; {} not for these problems", tally.unfit);
  if (tally.skipped > 0) text += fmt::format("; {} skipped, no device", tally.skipped);
  return text;
}

std::vector<ProblemCheck> plan(const Choice& choice, const CheckOptions& options, Tally& tally) {
  const Algorithm& algorithm = *choice.algorithm;
  const auto parameter_sets = parse_parameter_sets(options.parameters, algorithm.parameter_keys);
  const Ranks& ranks = options.all_ranks();
  const int count = options.ranks != nullptr ? ranks.size() : 0;
  std::vector<ProblemCheck> work;
  for (const ElementType type : select_types(algorithm, options.types)) {
    for (const Size& size : select_sizes(algorithm, options.sizes, algorithm.check_sizes())) {
      for (const Parameters& parameters : parameter_sets) {
        const Problem problem{size, parameters, type, options.seed, count};
        check_problem(algorithm, problem, Place::host, ranks);
        if (device_present()) check_problem(algorithm, problem, Place::device, ranks);
        work.emplace_back(choice, problem, options, tally);
      }
    }
  }
  return work;
}

void say_unfit(const std::vector<ProblemCheck>& work) {
  NotTakenBy unfit;
  for (const ProblemCheck& problem : work) problem.add_unfit(unfit);
  for (const auto& [step_and_why, row] : unfit) {
    const auto& [step, why] = step_and_why;
    const std::size_t more = row.problems.size() - 1;
    fmt::print("  {}: {} not for these problems ({}{}): {}\n", step, row.answers, row.first,
               more > 0 ? fmt::format(" and {} more", more) : "", why);
  }
}

// Where another process has begun with it, what is left.
void check_algorithm(const Algorithm& algorithm, std::vector<ProblemCheck>& work,
                     CheckProgress& progress) {
  int done = progress.now.all();
  for (ProblemCheck& problem : work) {
    if (done < problem.size()) problem.run(done);
    done = std::max(0, done - problem.size());
  }
  fmt::print("{}\n", summary(algorithm, progress.now));
  say_unfit(work);
  flush_output();
  progress.done.add(progress.now);
  progress.now = {};
  ++progress.algorithms;
}

// What there is and is not checked, since it is for another number of processes.
void say_kind(const std::vector<Choice>& choices, const CheckOptions& options) {
  if (options.ranks != nullptr) {
    const int count = options.ranks->size();
    fmt::print("{} process{} by a launcher: steps of one process are not checked\n", count,
               count == 1 ? "" : "es");
  } else {
    std::vector<std::string_view> names;
    for (const Choice& choice : choices) {
      if (!choice.algorithm->over_ranks.empty()) names.push_back(choice.algorithm->name);
    }
    if (names.empty()) return;
    fmt::print("{}: steps over processes are not checked: {}\n", joined(names, ", "),
               how_to_launch);
  }
}

}  // namespace

int check(const CheckOptions& options) {
  CheckProgress own;
  CheckProgress& progress = options.progress != nullptr ? *options.progress : own;
  const bool over_ranks = options.ranks != nullptr;
  const Ranks& ranks = options.all_ranks();
  std::optional<int> device;
  if (over_ranks) device = device_of(ranks, options.share_gpus);
  const auto choices =
      select_variants(options.filters, over_ranks ? Among::over_ranks : Among::one_process);
  // All is looked at before anything runs.
  std::vector<std::vector<ProblemCheck>> work;
  for (const Choice& choice : choices) work.push_back(plan(choice, options, progress.now));
  if (!progress.begun) {
    if (PORTCOST_HAS_CUDA && !device_present()) {
      fmt::print("no CUDA device answers: only the host's variants can be checked\n");
    }
    say_kind(choices, options);
    if (options.filters.empty() && !left_out().empty()) {
      fmt::print("left out of this build, so not checked: {} ({})\n", names_of(left_out()),
                 how_to_build_all);
    }
    flush_output();
  }
  progress.begun = true;
  std::unique_ptr<KokkosGuard> kokkos;
  if (kokkos_place() == Place::host || device_present()) {
    kokkos = std::make_unique<KokkosGuard>(device);
  }
  for (std::size_t i = static_cast<std::size_t>(progress.algorithms); i < choices.size(); ++i) {
    check_algorithm(*choices[i].algorithm, work[i], progress);
  }
  if (progress.done.checked() == 0) {
    reject("nothing was checked: no chosen variant {}",
           progress.done.unfit > 0 ? "takes these problems" : "runs on this machine");
  }
  return progress.done.unequal == 0 && options.failures.empty() ? 0 : 1;
}

}  // namespace portcost
