// SPDX-License-Identifier: Apache-2.0
#include "perf/command/campaign.hpp"

#include <algorithm>
#include <set>

#include "perf/command/watch.hpp"
#include "src/memory/cache_flush.hpp"

namespace portcost {

namespace {

bool is_native(Model model) { return model == Model::cuda || model == Model::openmp; }

bool is_kokkos(Model model) { return model == Model::kokkos; }

// What is measured of a group: in the ladder's order each Kokkos variant of a step against the
// native one, or whichever is alone; then peers. A way of writing is a suffix of the step.
struct Row {
  std::string step;
  std::vector<const Variant*> sides;
};
std::vector<Row> rows_of(const Group& group) {
  std::vector<Row> result;
  for (const std::string_view step : group.algorithm->steps) {
    const auto found = std::ranges::find_if(group.variants, [&](const Variant* one) {
      return one->step == step && is_native(one->model);
    });
    const Variant* const native = found == group.variants.end() ? nullptr : *found;
    const std::size_t before = result.size();
    for (const Variant* variant : group.variants) {
      if (variant->step != step || !is_kokkos(variant->model)) continue;
      result.push_back({std::string(step) + way_suffix(*variant), {variant}});
      if (native != nullptr) result.back().sides.push_back(native);
    }
    if (result.size() == before && native != nullptr) {
      result.push_back({std::string(step), {native}});
    }
  }
  for (const Variant* variant : group.variants) {
    if (variant->model == Model::library) {
      result.push_back({std::string(variant->step), {variant}});
    }
  }
  return result;
}

// Among all steps, or those that share their answer.
bool has_both_models(const Group& group, bool shared = false) {
  const auto any = [&](bool (*wanted)(Model)) {
    return std::ranges::any_of(group.variants, [&](const Variant* v) {
      return wanted(v->model) && (!shared || group.algorithm->shares_answer(v->step));
    });
  };
  return any(is_kokkos) && any(is_native);
}

// The ways of writing whose best one is compared with the best native variant.
std::set<Way> ways_of(const Group& group) {
  std::set<Way> ways;
  for (const Variant* v : group.variants) {
    if (is_kokkos(v->model) && group.algorithm->shares_answer(v->step)) ways.insert(v->way);
  }
  return ways;
}

// Each measurement draws its order from a seed of its own, and the same campaign the same ones.
// (FNV-1a; the last steps of splitmix64 spread what differs over all bits.)
std::uint64_t order_seed(const Result& result) {
  const std::string text =
      fmt::format("{}/{} {} {}", result.algorithm, result.step, name(result.role), result.where());
  std::uint64_t hash = 0xcbf29ce484222325 ^ result.problem.seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

// The first variant of the group that has failed and is of a wanted model; null where none is.
const Variant* first_of(const FailedVariants& failed, const Group& group, bool (*wanted)(Model)) {
  const auto& all = group.variants;
  const auto found = std::ranges::find_if(all, [&](const Variant* variant) {
    return wanted(variant->model) && failed.contains(variant);
  });
  return found == all.end() ? nullptr : *found;
}

// Makes a result of sides that have failed one without answers. False when none of them has.
bool fail(Result& result, const std::vector<const Variant*>& sides, const FailedVariants& failed) {
  for (const auto& [variant, text] : failed) {
    const auto side = std::ranges::find(sides, variant);
    if (side == sides.end()) continue;
    result.failed.push_back(result.sides[side - sides.begin()].variant);
    result.disagreement += (result.disagreement.empty() ? "" : "; ") + text;
  }
  if (result.failed.empty()) return false;
  result.agrees = false;
  result.defect.reset();  // which is a wrong answer, and there is none
  return true;
}

std::string disturbance_of_any(const Result& result, const CampaignSettings& settings) {
  if (!settings.crowding.empty()) return settings.crowding;
  const Ranks& ranks = settings.all_ranks();
  const std::string own = result.measurement.load.disturbance();
  if (ranks.size() == 1) return own;
  const std::vector<std::string> all = ranks.gathered(own);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (!all[rank].empty()) return fmt::format("rank {}: {}", rank, all[rank]);
  }
  return {};
}

}  // namespace

int Group::results() const {
  const auto all = rows_of(*this);
  return static_cast<int>(all.size()) + (has_both_models(*this) ? 1 : 0) +
         (!has_both_models(*this, true) ? 0
          : each_way                    ? static_cast<int>(ways_of(*this).size())
                                        : 1);
}

Cost cost_in(Place place, const Algorithm& algorithm, const Problem& problem) {
  Cost result = algorithm.cost_in(place, problem);
  for (Amount& amount : result) amount.limit = limit_name(amount.limit, place);
  return result;
}

std::vector<std::string> limits_needed(const std::vector<Group>& groups, Place place) {
  std::vector<std::string> result;
  for (const Group& group : groups) {
    for (const Amount& amount : cost_in(place, *group.algorithm, group.problem)) {
      if (std::ranges::find(result, amount.limit) == result.end()) {
        result.push_back(amount.limit);
      }
    }
  }
  return result;
}

CampaignRunner::CampaignRunner(Stream& stream, const CampaignSettings& settings,
                               std::map<std::string, Limit> limits, Instruments instruments)
    : stream_(stream),
      settings_(settings),
      limits_(std::move(limits)),
      with_(std::move(instruments)) {
  if (!with_.stopwatch) with_.stopwatch = make_stopwatch(stream);
  if (!with_.clock) with_.clock = make_clock_probe(stream.place());
  if (!with_.load) with_.load = make_load_probe(stream.place(), stream.ranks());
}

void CampaignRunner::about_to(const Variant& variant, Doing doing) const {
  if (with_.watch != nullptr) with_.watch->about_to(variant, doing);
}

// Where data comes to lie decides which part of a cache serves it, and shifts the time of work of a
// few microseconds by some percent from one allocation to the next. So small problems are measured
// in several, each an observation; large ones, and those with much work, in one.
std::vector<CampaignRunner::Placement> CampaignRunner::prepare(const Group& group) const {
  const Ranks& ranks = stream_.ranks();
  const double cache = ranks.slowest(static_cast<double>(last_cache_bytes(stream_.place())));
  const double bytes = group.algorithm->footprint(group.problem);
  const Cost cost = group.algorithm->cost_in(stream_.place(), group.problem);
  const bool long_work = std::ranges::any_of(cost, [](const Amount& a) { return a.amount >= 1e9; });
  const bool small = bytes < 4 * cache && !long_work &&
                     fewest_units * bytes < memory_for_each(stream_.place(), ranks) / 2;
  const int copies = small ? fewest_units : 1;
  std::vector<Placement> placements(static_cast<std::size_t>(copies));
  for (Placement& placement : placements) {
    placement.instance = group.algorithm->instance(group.problem, stream_);
    if (settings_.sync == Sync::transfers && !placement.instance->crosses()) {
      reject(
          "--sync transfers does not know what {} sends and fetches: it "
          "takes heat2d, jacobi, floyd_warshall and gauss",
          group.algorithm->name);
    }
    for (const Variant* variant : group.variants) {
      if (failed_.contains(variant)) continue;
      placement.executions[variant] = guarded(with_.watch, [&] {
        about_to(*variant, Doing::made);
        auto execution = variant->make(group.problem, *placement.instance);
        stream_.synchronize();  // what it has enqueued is not to fail in another's name
        return execution;
      });
    }
  }
  return placements;
}

void CampaignRunner::release(std::vector<Placement>& placements) const {
  for (Placement& placement : placements) {
    for (auto& [variant, execution] : placement.executions) {
      about_to(*variant, Doing::released);
      execution.reset();
    }
  }
  placements.clear();
  if (with_.watch != nullptr) with_.watch->done();
}

// Resets and runs each side and judges the answers.
Finding CampaignRunner::judge_sides(const Group& group, const Placement& placement,
                                    const Sides& sides) const {
  std::vector<Answered> answers;
  for (const Variant* side : sides) {
    about_to(*side, Doing::judged);
    placement.instance->reset();
    Subject{placement.instance.get(), placement.executions.at(side).get(), Sync::end}.run();
    answers.push_back({side, placement.instance->answer()});
  }
  return judge_answers(*group.algorithm, group.problem, answers, *placement.instance);
}

bool CampaignRunner::has_regime(const Group& group, const Placement& placement) const {
  if (group.regime == Regime::cold || placement.instance->repeatable()) return true;
  if (settings_.regimes.empty()) return false;
  reject(
      "{} cannot be measured in the regime hot: its work uses up its input, so that no "
      "run can follow another; leave out --regime hot",
      group.algorithm->name);
}

// The first run of every variant, before anything else runs it, and the native one that is fastest
// in a few runs after that (null when there is none).
const Variant* CampaignRunner::meet(const Group& group, const Placement& placement) {
  const Variant* fastest = nullptr;
  double shortest = 0;
  first_run_s_.clear();
  beside_run_s_ = 0;
  for (const Variant* variant : group.variants) {
    if (failed_.contains(variant)) continue;
    about_to(*variant, Doing::first_run);
    const Subject subject{placement.instance.get(), placement.executions.at(variant).get(),
                          settings_.sync};
    placement.instance->reset();
    stream_.synchronize();
    const double begin = steady_now();
    subject.run();
    stream_.synchronize();
    first_run_s_[variant] = stream_.ranks().slowest(steady_now() - begin);
    if (!is_native(variant->model)) continue;
    about_to(*variant, Doing::measured);
    double best = 0;
    for (int i = 0; i < 3; ++i) {
      const double start = steady_now();
      const Timing timing = with_.stopwatch->time(subject, group.regime, 1);
      const double all_s = stream_.ranks().slowest(steady_now() - start);
      beside_run_s_ = std::max(0.0, all_s - timing.wall_s);
      best = i == 0 ? timing.device_s : std::min(best, timing.device_s);
    }
    if (fastest == nullptr || best < shortest) {
      fastest = variant;
      shortest = best;
    }
  }
  return fastest;
}

void CampaignRunner::begin(const std::vector<Group>& groups) {
  rows_ = next_id_;
  for (const Group& group : groups) {
    rows_ += group.results();
    if (group.each_way) main_rows_ += group.results();
  }
  begin_s_ = steady_now();
}

// Rows at a main size share what is left of the budget once each row to come has had its own time,
// and about a third of that for its first runs and answers. A row gets three shares, because others
// need none, and at most as much as makes its interval half as wide.
double CampaignRunner::spare_s() const {
  if (settings_.budget_s == 0) return 0;
  constexpr double with_the_rest = 1.3, shares = 3;
  const Ranks& ranks = stream_.ranks();
  const double spent = ranks.slowest(steady_now() - begin_s_);
  const double kept = (rows_ - next_id_) * with_the_rest * settings_.sampler.seconds;
  const double left = settings_.budget_s - spent - kept;
  return std::clamp(shares * left / std::max(main_rows_, 1), 0.0, 4 * settings_.sampler.seconds);
}

Measurement CampaignRunner::sample(const Group& group, const std::vector<Placement>& placements,
                                   const Sides& sides, std::uint64_t order_seed) const {
  SamplerSettings settings = settings_.sampler;
  settings.seed = order_seed;
  settings.spare_s = group.each_way ? spare_s() : 0;
  // Where a pair of blocks on every allocation would take too long, one allocation has them all.
  double block_s = 0;
  for (const Variant* side : sides) block_s += first_run_s_.at(side) + beside_run_s_;
  const bool all_fit = 2 * fewest_units * block_s <= std::max(settings.patience_s(), 2.0);
  std::vector<PairedSampler::Sides> allocations;
  std::map<const Execution*, const Variant*> variants;
  for (const Placement& placement : std::span(placements).first(all_fit ? placements.size() : 1)) {
    allocations.emplace_back();
    for (const Variant* side : sides) {
      Execution* const execution = placement.executions.at(side).get();
      allocations.back().push_back({placement.instance.get(), execution, settings_.sync});
      variants[execution] = side;
    }
  }
  const auto before = [&](const Subject& subject) {
    about_to(*variants.at(subject.execution), Doing::measured);
  };
  // One clock for all ranks, so that all stop after the same block.
  const auto now = [&ranks = placements.at(0).instance->stream().ranks()] {
    return ranks.slowest(steady_now());
  };
  return PairedSampler(*with_.stopwatch, *with_.clock, *with_.load, settings, now, before)
      .measure(allocations, group.regime);
}

Result CampaignRunner::measure_sides(const Group& group, const std::vector<Placement>& placements,
                                     Role role, std::string step, const Sides& sides) {
  Result result;
  result.id = next_id_++;
  if (group.each_way) --main_rows_;
  result.role = role;
  const Algorithm& algorithm = *group.algorithm;
  result.algorithm = algorithm.name;
  result.step = std::move(step);
  result.problem = group.problem;
  result.parameters_text = changed(group.problem.parameters, algorithm.parameter_keys).text();
  result.agreement = algorithm.agreement;
  result.own_answer = algorithm.one_answer && !algorithm.shares_answer(sides.front()->step);
  result.regime = group.regime;
  result.noise = noise_;
  result.cost = cost_in(stream_.place(), *group.algorithm, group.problem);
  const Floor floor = floor_of(result.cost, limits_);
  result.limit = floor.limit;
  result.floor_s = floor.seconds;
  result.other_floors = floor.others;
  for (const Variant* side : sides) {
    result.sides.push_back({variant_name(algorithm, *side),
                            std::string(name(side->model)),
                            std::string(side->step),
                            first_run_s_[side],
                            {},
                            {},
                            0,
                            {0, 0},
                            side->portable});
  }
  if (role == Role::solo) {
    if (const KnownDefect* const listed = known_defect(algorithm, *sides.front(), group.problem)) {
      result.defect = texts_of(*listed);
    }
  }
  if (const auto held = with_.finished ? with_.finished(group, result) : std::nullopt) return *held;
  if (fail(result, sides, failed_)) return result;
  const auto compare = [&] {
    for (const Placement& placement : placements) {
      if (!result.disagreement.empty()) return;
      const Finding finding =
          guarded(with_.watch, [&] { return judge_sides(group, placement, sides); });
      result.truth = finding.truth;
      result.disagreement = finding.disagreement;
    }
  };
  compare();
  if (result.disagreement.empty()) {
    result.measurement =
        guarded(with_.watch, [&] { return sample(group, placements, sides, order_seed(result)); });
    compare();
  }
  result.agrees = result.disagreement.empty();
  if (result.measured()) conclude(result, disturbance_of_any(result, settings_));
  return result;
}

void CampaignRunner::measure(const Group& group, const Report& report) {
  failed_ = failed_of(with_.failures, group);
  if (with_.watch != nullptr) with_.watch->begin(group);
  auto placements = prepare(group);
  if (!has_regime(group, placements[0])) return;
  noise_.reset();
  Chosen chosen = with_.chooser ? with_.chooser(group) : Chosen();
  const Variant* const fastest = guarded(with_.watch, [&] { return meet(group, placements[0]); });
  if (chosen.null == nullptr) chosen.null = fastest;
  if (chosen.null == nullptr) chosen.null = first_of(failed_, group, is_native);
  if (has_both_models(group)) {
    const Result null = measure_sides(group, placements, Role::null, std::string(chosen.null->step),
                                      {chosen.null, chosen.null});
    noise_ = null.noise;
    report(null);
  }

  struct Best {
    const Variant* variant = nullptr;
    double seconds = 0;
    void meet(const Variant* other, double other_seconds) {
      if (variant == nullptr || other_seconds < seconds) *this = {other, other_seconds};
    }
  } kokkos, native;
  std::map<Way, Best> of_way;
  for (const Row& row : rows_of(group)) {
    const Role role = row.sides.size() == 2 ? Role::pair : Role::solo;
    const Result result = measure_sides(group, placements, role, row.step, row.sides);
    report(result);
    if (!result.measured()) continue;
    for (std::size_t i = 0; i < row.sides.size(); ++i) {
      const Model model = row.sides[i]->model;
      if (model == Model::library || !group.algorithm->shares_answer(row.sides[i]->step)) continue;
      const double seconds = result.sides[i].device_s.median;
      (is_kokkos(model) ? kokkos : native).meet(row.sides[i], seconds);
      if (is_kokkos(model)) of_way[row.sides[i]->way].meet(row.sides[i], seconds);
    }
  }
  // Where nothing of a model was measured and some of it failed, so has best against best.
  if (kokkos.variant == nullptr) kokkos.variant = first_of(failed_, group, is_kokkos);
  if (native.variant == nullptr) native.variant = first_of(failed_, group, is_native);
  if (!with_.chooser) chosen = {fastest, native.variant, {kokkos.variant}};
  if (!with_.chooser && group.each_way && kokkos.variant != nullptr) {
    for (const auto& [way, best] : of_way) {
      if (way != kokkos.variant->way) chosen.kokkos.push_back(best.variant);
    }
  }
  const auto shares = [&](const Variant* one) {
    return one != nullptr && group.algorithm->shares_answer(one->step);
  };
  for (const Variant* const best : chosen.kokkos) {
    if (!shares(best) || !shares(chosen.native)) continue;
    const bool first = best == chosen.kokkos.front();
    report(measure_sides(group, placements, Role::best,
                         first ? "best" : fmt::format("best.{}", name(best->way)),
                         {best, chosen.native}));
  }
  release(placements);
}

}  // namespace portcost
