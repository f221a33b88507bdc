// SPDX-License-Identifier: Apache-2.0
#include "perf/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/error.hpp"

namespace portcost {

namespace {

bool is_native(Model model) { return model == Model::cuda || model == Model::openmp; }

const Variant* find(const std::vector<const Variant*>& variants, std::string_view step,
                    bool (*wanted)(Model)) {
  for (const Variant* variant : variants) {
    if (variant->step == step && wanted(variant->model)) return variant;
  }
  return nullptr;
}

bool is_kokkos(Model model) { return model == Model::kokkos; }

// The steps in the ladder's order: kokkos and native where both are there, else whichever is alone;
// then peers.
struct Rung {
  std::string_view step;
  std::vector<const Variant*> sides;
};
std::vector<Rung> rungs(const Group& group) {
  std::vector<Rung> result;
  for (const std::string_view step : group.algorithm->steps) {
    Rung rung{step, {}};
    for (const auto wanted : {is_kokkos, is_native}) {
      if (const Variant* variant = find(group.variants, step, wanted))
        rung.sides.push_back(variant);
    }
    if (!rung.sides.empty()) result.push_back(std::move(rung));
  }
  for (const Variant* variant : group.variants) {
    if (variant->model == Model::library) result.push_back({variant->step, {variant}});
  }
  return result;
}

bool has_both_models(const Group& group) {
  const auto any = [&](bool (*wanted)(Model)) {
    return std::any_of(group.variants.begin(), group.variants.end(),
                       [&](const Variant* v) { return wanted(v->model); });
  };
  return any(is_kokkos) && any(is_native);
}

// The least time the limit allows.
double floor_s(const Cost& cost, const Limit& limit) {
  if (limit.value <= 0) return 0;
  return (limit.unit == "B/s" ? cost.bytes : cost.flops) / limit.value;
}

std::vector<Regime> regimes_of(const CampaignSettings& settings) {
  if (!settings.regimes.empty()) return settings.regimes;
  if (settings.campaign == Campaign::full) return {Regime::cold, Regime::hot};
  return {Regime::cold};
}

}  // namespace

int Group::results() const {
  const auto all = rungs(*this);
  return static_cast<int>(all.size()) + (has_both_models(*this) ? 2 : 0);
}

std::vector<Group> plan(const std::vector<Choice>& choices, const CampaignSettings& settings,
                        Place place) {
  std::vector<Group> groups;
  for (const Choice& choice : choices) {
    std::vector<const Variant*> variants;
    std::copy_if(
        choice.variants.begin(), choice.variants.end(), std::back_inserter(variants),
        [&](const Variant* v) { return v->place == place && v->model != Model::reference; });
    if (variants.empty()) continue;
    const Algorithm& algorithm = *choice.algorithm;
    const std::string parameters = fmt::format("{}", fmt::join(settings.parameters, ","));
    for (const Size& size :
         select_sizes(algorithm, settings.sizes, algorithm.sizes(settings.campaign, place))) {
      for (const ElementType type : select_types(algorithm, settings.types)) {
        const Problem problem{size, parse_parameters(parameters, algorithm.parameter_keys), type,
                              settings.sampler.seed};
        check_problem(algorithm, problem, place);
        for (const Regime regime : regimes_of(settings))
          groups.push_back({&algorithm, problem, regime, variants});
      }
    }
  }
  if (groups.empty()) {
    throw UsageError(fmt::format(
        "nothing to measure: the filter leaves no variant, the reference apart, that runs on the "
        "{} in this build; `portcost list` shows where each runs",
        name(place)));
  }
  return groups;
}

std::vector<std::string> limits_needed(const std::vector<Group>& groups, Place place) {
  std::vector<std::string> result;
  for (const Group& group : groups) {
    const std::string limit(group.algorithm->cost(group.problem, place).limit);
    if (std::find(result.begin(), result.end(), limit) == result.end()) result.push_back(limit);
  }
  return result;
}

CampaignRunner::CampaignRunner(Stream& stream, const CampaignSettings& settings,
                               std::map<std::string, Limit> limits)
    : stream_(stream),
      settings_(settings),
      limits_(std::move(limits)),
      stopwatch_(make_stopwatch(stream)),
      clock_(make_clock_probe(stream.place())) {}

// Runs each side afresh and compares the answers; empty when they agree.
std::string CampaignRunner::compare_sides(const Group& group, Instance& instance,
                                          const std::vector<Side>& sides) const {
  std::optional<Answer> first;
  for (const Side& side : sides) {
    instance.reset();
    Subject{&instance, side.execution, Sync::end}.run();
    Answer answer = instance.answer();
    if (!first) {
      first = std::move(answer);
      continue;
    }
    const Disagreement difference =
        group.algorithm->compare(group.problem, *first, answer, stream_);
    if (!difference.agrees()) {
      return fmt::format("{} against {}: {}", variant_name(*group.algorithm, *sides[0].variant),
                         variant_name(*group.algorithm, *side.variant), difference.text);
    }
  }
  return {};
}

void CampaignRunner::fill_times(Result& result, const std::vector<Side>& sides) const {
  const Measurement& m = result.measurement;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    SideResult& side = result.sides[i];
    const int index = static_cast<int>(i);
    side.first_run_s = m.first_run_s[i];
    side.device_s = quartiles(m.device_s(index));
    side.wall_s = quartiles(m.wall_s(index));
    side.limit_fraction = result.floor_s / side.device_s.median;
  }
  if (sides.size() != 2) return;
  result.ratio = ratio_of(m.device_s(0), m.device_s(1), settings_.sampler.seed);
  result.wall_ratio = ratio_of(m.wall_s(0), m.wall_s(1), settings_.sampler.seed);
  if (result.role == Role::null) result.noise = result.ratio.interval;
  result.verdict = judge(result.ratio.interval, result.noise);
}

Result CampaignRunner::measure_sides(const Group& group, Instance& instance, Role role,
                                     std::string step, std::vector<Side> sides) {
  Result result;
  result.id = next_id_++;
  result.role = role;
  result.algorithm = group.algorithm;
  result.step = std::move(step);
  result.problem = group.problem;
  result.regime = group.regime;
  result.noise = noise_;
  result.cost = group.algorithm->cost(group.problem, stream_.place());
  result.limit = limits_.at(std::string(result.cost.limit));
  result.floor_s = floor_s(result.cost, result.limit);
  for (const Side& side : sides) {
    result.sides.push_back({variant_name(*group.algorithm, *side.variant),
                            name(side.variant->model),
                            side.variant->step,
                            0,
                            {},
                            {},
                            0});
  }
  result.disagreement = compare_sides(group, instance, sides);
  if (result.disagreement.empty()) {
    std::vector<Subject> subjects;
    for (const Side& side : sides) subjects.push_back({&instance, side.execution, settings_.sync});
    result.measurement =
        PairedSampler(*stopwatch_, *clock_, settings_.sampler).measure(subjects, group.regime);
    result.disagreement = compare_sides(group, instance, sides);
  }
  result.agrees = result.disagreement.empty();
  if (result.agrees && result.measurement.blocks > 0) fill_times(result, sides);
  return result;
}

void CampaignRunner::measure(const Group& group, const Report& report) {
  const auto instance = group.algorithm->make(group.problem, stream_);
  std::map<const Variant*, std::unique_ptr<Execution>> executions;
  for (const Variant* variant : group.variants)
    executions[variant] = variant->make(group.problem, *instance);
  const auto side = [&](const Variant* variant) {
    return Side{variant, executions.at(variant).get()};
  };

  const auto all = rungs(group);
  noise_ = {1, 1};
  if (has_both_models(group)) {
    const Variant* const native =
        *std::find_if(group.variants.begin(), group.variants.end(),
                      [](const Variant* v) { return is_native(v->model); });
    const Result null = measure_sides(group, *instance, Role::null, std::string(native->step),
                                      {side(native), side(native)});
    noise_ = null.ratio.interval;
    report(null);
  }

  struct Best {
    const Variant* variant = nullptr;
    double seconds = 0;
  } kokkos, native;
  for (const Rung& rung : all) {
    std::vector<Side> sides;
    for (const Variant* variant : rung.sides) sides.push_back(side(variant));
    const Result result =
        measure_sides(group, *instance, sides.size() == 2 ? Role::pair : Role::solo,
                      std::string(rung.step), sides);
    report(result);
    if (!result.agrees || result.measurement.blocks == 0) continue;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const Model model = rung.sides[i]->model;
      if (model == Model::library) continue;
      Best& best = is_kokkos(model) ? kokkos : native;
      const double seconds = result.sides[i].device_s.median;
      if (best.variant == nullptr || seconds < best.seconds) best = {rung.sides[i], seconds};
    }
  }
  if (kokkos.variant != nullptr && native.variant != nullptr) {
    report(measure_sides(group, *instance, Role::best, "best",
                         {side(kokkos.variant), side(native.variant)}));
  }
}

}  // namespace portcost
