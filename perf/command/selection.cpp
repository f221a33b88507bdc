// SPDX-License-Identifier: Apache-2.0
#include "perf/command/campaign.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include "src/machine/machine.hpp"

namespace portcost {

namespace {

std::string completed(const std::string& filter) {
  return filter.find('/') == std::string::npos ? filter + "/*" : filter;
}

using Algorithms = std::span<const Algorithm* const>;

// True where `filter` would match a step's CUDA variant, in a build that can have none; an
// algorithm may give a reason of its own.
bool asks_for_missing_cuda(Algorithms algorithms, const std::string& filter) {
  if (PORTCOST_HAS_CUDA) return false;
  for (const Algorithm* algorithm : algorithms) {
    for (const std::string_view step : algorithm->steps) {
      const bool says_why = std::ranges::any_of(algorithm->absent, [&](const Absence& one) {
        return one.step == step && one.model == Model::cuda;
      });
      const std::string name = variant_name(*algorithm, Absence{step, Model::cuda, ""});
      if (!says_why && glob_match(completed(filter), name)) return true;
    }
  }
  return false;
}

// What is there, but not for the number of processes that there are.
void check_kind(Algorithms algorithms, const std::string& filter, Among among) {
  if (among == Among::all) return;
  const bool one = among == Among::over_ranks;
  for (const Algorithm* algorithm : algorithms) {
    for (const Variant& variant : one ? algorithm->variants : algorithm->over_ranks) {
      if (!glob_match(completed(filter), variant_name(*algorithm, variant))) continue;
      reject("'{}' matches only work of {}: {}", filter, one ? "one process" : "several processes",
             one ? without_launcher : how_to_launch);
    }
  }
}

[[noreturn]] void no_match(Algorithms algorithms, const std::string& filter,
                           std::span<const LeftOut> missing) {
  std::vector<std::string> known, absent;
  const bool whole_algorithm = filter.find('/') == std::string::npos;
  for (const Algorithm* algorithm : algorithms) {
    for (const Absence& absence : algorithm->absent) {
      const std::string name = variant_name(*algorithm, absence);
      if (!glob_match(completed(filter), name)) continue;
      absent.push_back(fmt::format("{} ({})", name, absence.reason));
    }
    if (whole_algorithm) known.emplace_back(algorithm->name);
    for (const Variant& variant : algorithm->variants) {
      if (!whole_algorithm) known.push_back(variant_name(*algorithm, variant));
    }
  }
  if (asks_for_missing_cuda(algorithms, filter)) {
    reject(
        "'{}' asks for CUDA, and this build is for the host: build the preset cuda "
        "where there is nvcc (perf/run --preset cuda)",
        filter);
  }
  if (!absent.empty()) {
    reject("'{}' matches only what is absent in this build: {}", filter, joined(absent, ", "));
  }
  // Those whose variants the filter may mean, by its words before the first '/'.
  std::vector<LeftOut> named(missing.begin(), missing.end());
  std::erase_if(named, [&](const LeftOut& one) {
    return !glob_match(filter.substr(0, filter.find('/')), one.name);
  });
  if (!named.empty()) {
    reject("'{}' asks for {}, which this build leaves out: {}", filter, names_of(named),
           how_to_build_all);
  }
  for (const LeftOut& one : missing) {
    if (whole_algorithm) known.emplace_back(one.name);
  }
  reject("'{}' matches nothing: did you mean '{}'? `portcost list` shows every name", filter,
         nearest_name(filter, known));
}

std::string readable_bytes(double bytes) {
  if (bytes < 1024.0 * 1024.0) return fmt::format("{:.1f} KiB", bytes / 1024.0);
  if (bytes < 1024.0 * 1024.0 * 1024.0) return fmt::format("{:.1f} MiB", bytes / (1024.0 * 1024.0));
  return fmt::format("{:.1f} GiB", bytes / (1024.0 * 1024.0 * 1024.0));
}

using Entries = std::vector<Parameters::Entry>;

// The values of each key that is given, in the order in which keys came first.
std::vector<Entries> values_by_key(std::span<const std::string> texts,
                                   std::span<const ParameterKey> keys) {
  std::vector<Entries> result;
  for (const std::string& text : texts) {
    for (const Parameters::Entry& entry : given_parameters(text, keys)) {
      const auto known = std::ranges::find_if(
          result, [&](const Entries& values) { return values.front().first == entry.first; });
      if (known == result.end()) {
        result.push_back({entry});
      } else if (std::find(known->begin(), known->end(), entry) == known->end()) {
        known->push_back(entry);
      } else {
        reject("{} is given twice: once is enough", Parameters({entry}).text());
      }
    }
  }
  return result;
}

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

std::vector<Choice> select_variants(std::span<const std::string> filters, Among among) {
  return select_variants(catalogue(), filters, left_out(), among);
}

bool explains(const Variant& variant) {
  return variant.dials.starts_with("trick=") || variant.dials.find("view=") != std::string::npos ||
         variant.dials.find("index=int32") != std::string::npos;
}

void keep_default_campaign(std::vector<Choice>& choices, Place place) {
  // On a host, steps that have no native side there have no cost of portability to show.
  const auto is_alone = [&](const Choice& choice, const Variant& variant) {
    return place == Place::host && variant.model == Model::kokkos &&
           std::ranges::none_of(choice.variants, [&](const Variant* other) {
             return other->step == variant.step && other->model == Model::openmp;
           });
  };
  std::erase_if(choices, [](const Choice& c) { return !c.algorithm->in_default_campaign; });
  for (Choice& choice : choices) {
    const auto all = choice;
    // What explains a price is measured where a filter names its algorithm.
    std::erase_if(choice.variants,
                  [&](const Variant* v) { return is_alone(all, *v) || explains(*v); });
    const std::vector<std::string_view> steps = choice.algorithm->headline(place);
    if (steps.empty()) continue;
    std::erase_if(choice.variants, [&](const Variant* v) {
      return v->model != Model::library && std::ranges::find(steps, v->step) == steps.end();
    });
  }
}

std::string names_of(std::span<const LeftOut> missing, bool default_campaign) {
  std::vector<LeftOut> named(missing.begin(), missing.end());
  std::erase_if(named,
                [&](const LeftOut& one) { return default_campaign && !one.in_default_campaign; });
  return joined(named, ", ", &LeftOut::name);
}

std::vector<Choice> select_variants(Algorithms algorithms, std::span<const std::string> filters,
                                    std::span<const LeftOut> missing, Among among) {
  std::vector<bool> used(filters.size(), false);
  std::vector<Choice> result;
  for (const Algorithm* algorithm : algorithms) {
    Choice choice{algorithm, {}};
    const auto choose_among = [&](const std::vector<Variant>& variants) {
      for (const Variant& variant : variants) {
        bool chosen = filters.empty();
        for (std::size_t i = 0; i < filters.size(); ++i) {
          if (!glob_match(completed(filters[i]), variant_name(*algorithm, variant))) continue;
          chosen = used[i] = true;
        }
        if (chosen) choice.variants.push_back(&variant);
      }
    };
    if (among != Among::over_ranks) choose_among(algorithm->variants);
    if (among != Among::one_process) choose_among(algorithm->over_ranks);
    for (const Absence& absence : algorithm->absent) {
      const bool chosen = std::ranges::any_of(filters, [&](const auto& filter) {
        return glob_match(completed(filter), variant_name(*algorithm, absence));
      });
      if (chosen || filters.empty()) choice.absent.push_back(&absence);
    }
    if (!choice.variants.empty()) result.push_back(std::move(choice));
  }
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (used[i]) continue;
    check_kind(algorithms, filters[i], among);
    no_match(algorithms, filters[i], missing);
  }
  return result;
}

std::vector<ElementType> select_types(const Algorithm& algorithm,
                                      std::span<const std::string> names) {
  if (names.empty()) return {algorithm.types.begin(), algorithm.types.end()};
  std::vector<std::string> known;
  for (const ElementType type : algorithm.types) known.emplace_back(name(type));
  std::vector<ElementType> result;
  for (const std::string& text : names) {
    if (std::ranges::find(known, text) == known.end()) {
      reject("type '{}' is not one of {}'s: {}", text, algorithm.name, did_you_mean(text, known));
    }
    const ElementType type = *element_type(text);
    if (std::ranges::find(result, type) != result.end()) {
      reject("type '{}' is named twice: once is enough", text);
    }
    result.push_back(type);
  }
  return result;
}

std::vector<Size> select_sizes(const Algorithm& algorithm, std::span<const std::string> texts,
                               std::vector<Size> standard) {
  if (texts.empty()) return standard;
  std::vector<Size> result;
  for (const std::string& text : texts) {
    if (text.find_first_not_of(" \t") == std::string::npos) {
      reject("--size is empty: give key=value,... with keys of {} ({})", algorithm.name,
             joined(algorithm.size_keys, ", ", &SizeKey::key));
    }
    result.push_back(parse_size(text, algorithm.size_keys));
    if (std::find(result.begin(), result.end() - 1, result.back()) != result.end() - 1) {
      reject("size {} is named twice: once is enough", result.back().text());
    }
  }
  return result;
}

std::string unfit_text(const Algorithm& algorithm, const Problem& problem, const Variant& variant) {
  const Parameters parameters = changed(problem.parameters, algorithm.parameter_keys);
  return fmt::format("{} does not take {}{}{}: {}", variant_name(algorithm, variant),
                     problem.size.text(), parameters.entries().empty() ? "" : " ",
                     parameters.text(), variant.unfit(problem));
}

double memory_for_each(Place place, const Ranks& ranks) {
  // A device is a rank's own.
  const int sharing = place == Place::host ? ranks.on_this_node() : 1;
  return ranks.least(available_bytes(place) / sharing);
}

void check_problem(const Algorithm& algorithm, const Problem& problem, Place place,
                   const Ranks& ranks, double (*footprint)(const Problem&)) {
  algorithm.validate(problem);
  const double needed = (footprint != nullptr ? footprint : algorithm.footprint)(problem);
  const double available = memory_for_each(place, ranks);
  if (needed <= 0.95 * available) return;
  const std::string what = fmt::format("{} {} {} needs {}", algorithm.name, problem.size.text(),
                                       name(problem.type), readable_bytes(needed));
  if (problem.ranks > 0) {
    reject(
        "{} for each of {} processes, and one has {} free: choose a smaller size, or "
        "more computers",
        what, problem.ranks, readable_bytes(available));
  }
  reject("{}, and {} has {} free: choose a smaller size", what, processor_name(place),
         readable_bytes(available));
}

std::vector<Parameters> parse_parameter_sets(std::span<const std::string> texts,
                                             std::span<const ParameterKey> keys) {
  std::vector<Parameters> sets{parse_parameters("", keys)};
  for (const Entries& values : values_by_key(texts, keys)) {
    std::vector<Parameters> longer;
    for (const Parameters& set : sets) {
      for (const Parameters::Entry& value : values) {
        Entries entries = set.entries();
        *std::ranges::find(entries, value.first, &Parameters::Entry::first) = value;
        longer.emplace_back(std::move(entries));
      }
    }
    sets = std::move(longer);
  }
  return sets;
}

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
