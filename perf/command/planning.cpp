// SPDX-License-Identifier: Apache-2.0
// Which problems a campaign measures, and which variants on each.

#include <algorithm>
#include <cstdio>
#include <set>

#include "perf/command/campaign.hpp"
#include "src/support/reject.hpp"

namespace portcost {

namespace {

std::vector<Regime> regimes_of(const CampaignSettings& settings) {
  if (!settings.regimes.empty()) return settings.regimes;
  if (settings.campaign == Campaign::full) return {Regime::cold, Regime::hot};
  return {Regime::cold};
}

// The default campaign takes a minute or two on a GPU: every type at the main size, the sweep with
// the first type; on a host, where it takes about four, the first type alone. Types that are named
// are measured at every size.
std::vector<ElementType> types_at(const Algorithm& algorithm, const CampaignSettings& settings,
                                  Place place, bool main_size) {
  auto types = select_types(algorithm, settings.types);
  const bool named = !settings.types.empty() || !settings.sizes.empty();
  const bool standard = settings.campaign == Campaign::standard && !named;
  if (standard && (place == Place::host || !main_size)) types.resize(1);
  return types;
}

// Of the ways of writing a step the default campaign measures the tuned one everywhere; the others
// with the first type, at the main size and at the one after it, which is small; and what has its
// dials turned at the main size of a GPU, for a host would take minutes. A size that is named, and
// the full campaign, have all.
bool is_measured(const Variant& variant, const CampaignSettings& settings, Place place,
                 std::size_t size, bool first_type) {
  if (settings.campaign == Campaign::full || !settings.sizes.empty()) return true;
  if (!variant.dials.empty()) return first_type && size == 0 && place == Place::device;
  return variant.way == Way::tuned || (first_type && size <= 1);
}

// Best against best is of equal sets of steps: a native side goes where none of its step's Kokkos
// forms is measured.
void drop_bare_natives(const Choice& choice, std::vector<const Variant*>& variants) {
  const auto has_kokkos = [](const std::vector<const Variant*>& among, std::string_view step) {
    return std::ranges::any_of(
        among, [&](const Variant* v) { return v->step == step && v->model == Model::kokkos; });
  };
  const std::vector<const Variant*> all = variants;
  std::erase_if(variants, [&](const Variant* v) {
    return (v->model == Model::openmp || v->model == Model::cuda) &&
           has_kokkos(choice.variants, v->step) && !has_kokkos(all, v->step);
  });
}

bool fits_memory(const Algorithm& algorithm, const Problem& problem) {
  try {
    check_problem(algorithm, problem, Place::host);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// Rates that a host reaches as a rule. Measured ones differ from run to run, so that two runs of a
// machine would measure different sizes.
double assumed_copy_rate(int threads) { return 12e9 * std::min(threads, 12); }
std::map<std::string, Limit> assumed(std::map<std::string, Limit> limits, int threads) {
  for (auto& [name, limit] : limits) {
    if (limit.unit != "s") {
      limit.value = limit.unit == "B/s" ? assumed_copy_rate(threads) : 28e9 * threads;
    }
  }
  return limits;
}

Size fitting_size(const Group& group, const std::map<std::string, Limit>& limits, double seconds,
                  double flush_s) {
  const Algorithm& algorithm = *group.algorithm;
  const std::vector<Size> sizes = algorithm.sizes_of_host();
  Size fitting = sizes.front();
  for (const Size& size : sizes) {
    Problem problem = group.problem;
    problem.size = size;
    const double least_s = floor_of(cost_in(Place::host, algorithm, problem), limits).seconds;
    const double needed_s = 2 * fewest_units * (algorithm.host_sizes.block * least_s + 2 * flush_s);
    if (needed_s > seconds || !fits_memory(algorithm, problem)) break;
    fitting = size;
  }
  return fitting;
}

}  // namespace

void fit_main_sizes(std::vector<Group>& groups, const std::map<std::string, Limit>& limits,
                    int threads, double seconds, double flush_bytes, bool told) {
  std::map<const Algorithm*, Size> chosen;
  const std::map<std::string, Limit> rates = assumed(limits, threads);
  const double flush_s = flush_bytes / assumed_copy_rate(threads);
  for (Group& group : groups) {
    const Algorithm& algorithm = *group.algorithm;
    const Size usual = algorithm.sizes(Campaign::standard, Place::host).front();
    if (algorithm.host_sizes.sizes.empty() || group.problem.size.text() != usual.text()) continue;
    if (!chosen.contains(&algorithm)) {
      chosen[&algorithm] = fitting_size(group, rates, seconds, flush_s);
      if (!told) {
        fmt::print(
            "{}: the main size is {}, the largest on its ladder for {} blocks of a pair in {:.3g} "
            "s on {} threads\n",
            algorithm.name, chosen[&algorithm].text(), 2 * fewest_units, seconds, threads);
      }
    }
    group.problem.size = chosen[&algorithm];
    group.each_way = true;
  }
  // What the sweep has of that size, too, is measured once.
  std::set<std::string> seen;
  std::erase_if(groups, [&](const Group& group) {
    return chosen.contains(group.algorithm) &&
           !seen.insert(fmt::format("{} {} {} {}", group.algorithm->name, group.problem.size.text(),
                                    to_json(group.problem.parameters).dump(),
                                    name(group.problem.type), name(group.regime)))
                .second;
  });
}

std::vector<Group> plan(const std::vector<Choice>& choices, const CampaignSettings& settings,
                        Place place) {
  std::vector<Group> groups;
  std::vector<std::string> refusals;  // of variants in problems that no other is chosen for
  for (const Choice& choice : choices) {
    const Algorithm& algorithm = *choice.algorithm;
    const auto parameter_sets = parse_parameter_sets(settings.parameters, algorithm.parameter_keys);
    const auto sizes =
        select_sizes(algorithm, settings.sizes, algorithm.sizes(settings.campaign, place));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto types = types_at(algorithm, settings, place, i == 0);
      for (const ElementType type : types) {
        for (const Parameters& parameters : parameter_sets) {
          const int ranks = settings.ranks == nullptr ? 0 : settings.ranks->size();
          const Problem problem{sizes[i], parameters, type, settings.sampler.seed, ranks};
          check_problem(algorithm, problem, place, settings.all_ranks());
          std::vector<const Variant*> variants, unfit;
          for (const Variant* v : choice.variants) {
            if (v->place != place || v->model == Model::reference ||
                !is_measured(*v, settings, place, i, type == types[0])) {
              continue;
            }
            (v->unfit(problem).empty() ? variants : unfit).push_back(v);
          }
          drop_bare_natives(choice, variants);
          if (variants.empty()) {
            for (const Variant* v : unfit) refusals.push_back(unfit_text(algorithm, problem, *v));
            continue;
          }
          for (const Regime regime : regimes_of(settings)) {
            groups.push_back({&algorithm, problem, regime, variants, unfit});
          }
        }
      }
    }
  }
  if (groups.empty() && !refusals.empty()) throw UsageError(refusals.front());
  if (settings.all_ranks().is_first()) {
    for (const std::string& refusal : refusals) fmt::print(stderr, "portcost: {}\n", refusal);
  }
  if (groups.empty()) {
    reject(
        "nothing to measure: the filter leaves no variant, the reference apart, that "
        "runs on the {} in this build; `portcost list` shows where each runs",
        name(place));
  }
  return groups;
}

}  // namespace portcost
