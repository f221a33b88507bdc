// SPDX-License-Identifier: Apache-2.0
#include "perf/command/result.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace portcost {

namespace {

Json quartiles_json(const Quartiles& q) {
  return {{"min", q.min}, {"q1", q.q1}, {"median", q.median}, {"q3", q.q3}};
}

// `name` is what stands before "low" and "high".
void add_interval(Json& row, const std::string& name, const Interval& interval) {
  row[name + "low"] = interval.low;
  row[name + "high"] = interval.high;
}

Json side_json(const SideResult& side, const Result& result) {
  Json row{{"variant", side.variant}, {"model", side.model}, {"step", side.step}};
  if (side.model == name(Model::library)) row["portable"] = side.portable;
  if (!result.measured()) return row;
  row["first_run_s"] = side.first_run_s;
  row["device_s"] = quartiles_json(side.device_s);
  row["wall_s"] = quartiles_json(side.wall_s);
  row["limit_fraction"] = side.limit_fraction;
  if (side.limit_fraction_interval.high > 0) {
    add_interval(row, "limit_fraction_", side.limit_fraction_interval);
  }
  row["batch"] = result.measurement.batch;
  return row;
}

void add_ratio(Json& row, const std::string& name, const Estimate& ratio) {
  row[name] = ratio.value;
  if (ratio.decided()) add_interval(row, name + '_', ratio.interval);
}

void add_verdict(Json& row, const Result& r) {
  row["unit"] = name(r.ratio.unit);
  row["units"] = r.ratio.units;
  if (r.noise) {
    add_interval(row, "noise_", *r.noise);
    add_interval(row, "equal_", equal_within(*r.noise));
  }
  if (r.role == Role::null) row["excludes_one"] = r.excludes_one();
  if (r.ratio.decided()) row["verdict"] = name(r.verdict);
  if (!r.undecided.empty()) row["undecided"] = r.undecided;
}

double log_half_width(const Interval& interval) {
  return interval.low > 0 ? std::log(interval.high / interval.low) / 2 : 0;
}

void fill_side(SideResult& side, int index, const Result& result) {
  const Measurement& m = result.measurement;
  side.device_s = quartiles(m.seconds(&Timing::device_s, index));
  side.wall_s = quartiles(m.seconds(&Timing::wall_s, index));
  side.limit_fraction = result.floor_s / side.device_s.median;
  side.limit_fraction_interval = {0, 0};
  const Estimate time = m.time(&Timing::device_s, index);
  if (!time.decided()) return;
  // Independent errors add in squares of logarithms.
  const double half =
      std::hypot(log_half_width(time.interval), log_half_width(result.limit.interval));
  side.limit_fraction_interval = {side.limit_fraction * std::exp(-half),
                                  side.limit_fraction * std::exp(half)};
}

// Which times are not the work's alone, because the device waited for launches.
std::string launch_gaps_of(const Result& r) {
  std::vector<std::string> sides;
  for (std::size_t i = 0; i < r.sides.size(); ++i) {
    const auto [waited, kept] = r.measurement.not_queued_ahead(static_cast<int>(i));
    if (waited == 0) continue;
    sides.push_back(fmt::format("{} ({} of {} samples)", r.sides[i].variant, waited, kept));
  }
  if (sides.empty()) return {};
  return fmt::format("launches not queued ahead, so that the time holds the gaps between them: {}",
                     fmt::join(sides, ", "));
}

std::string why_undecided(const Result& r) {
  if (!r.ratio.decided() && r.ratio.unit == Unit::process) {
    return fmt::format("{} of {} processes: --repeat {} would do", r.ratio.units, fewest_processes,
                       r.measurement.processes + fewest_processes - r.ratio.units);
  }
  if (!r.ratio.decided()) {
    const bool blocks = r.ratio.unit == Unit::block;
    const double enough_s = r.measurement.load.wall_s * fewest_units / r.ratio.units;
    return fmt::format("{} of {} {}: --seconds {:.0f} would do", r.ratio.units, fewest_units,
                       blocks ? "pairs of blocks" : "allocations", std::ceil(enough_s));
  }
  // Another process on a processor doubles a time at most: a row beyond that says what costs more.
  if (!r.disturbed.empty() && r.ratio.interval.low <= 2 && r.ratio.interval.high >= 0.5) {
    return "disturbed: " + r.disturbed;
  }
  if (!r.noise) return "the noise floor was not decided: more --seconds would do";
  return {};
}

Finding judged(const Algorithm& algorithm, const Problem& problem,
               const std::vector<Answered>& answers, const Instance& instance) {
  const auto judgement_of = [&](const Answered& side) {
    return algorithm.judge(problem, side.variant->step, side.answer, instance);
  };
  const auto blamed = [&](const Answered& side, const std::string& fault) {
    return fmt::format("{} is wrong: {}", variant_name(algorithm, *side.variant), fault);
  };
  const Answered& first = answers.front();
  const Judgement judgement = judgement_of(first);
  Finding finding{judgement.truth, {}};
  for (std::size_t i = 1; i < answers.size(); ++i) {
    const Answered& other = answers[i];
    const Disagreement difference =
        algorithm.compare(problem, first.answer, other.answer, instance.stream());
    if (difference.agrees()) continue;
    finding.disagreement = fmt::format("{} against {}: {}", variant_name(algorithm, *first.variant),
                                       variant_name(algorithm, *other.variant), difference.text);
    const std::string fault = judgement_of(other).fault;
    if (!judgement.fault.empty()) finding.disagreement += "; " + blamed(first, judgement.fault);
    if (!fault.empty()) finding.disagreement += "; " + blamed(other, fault);
    return finding;
  }
  if (!judgement.fault.empty()) finding.disagreement = blamed(first, judgement.fault);
  return finding;
}

template <class Named>
Named named(const Json& row, const char* field, std::initializer_list<Named> values) {
  const std::string text = row.at(field);
  for (const Named value : values) {
    if (name(value) == text) return value;
  }
  reject("its {} is '{}', which this version does not know", field, text);
}

Size size_from(const Json& row) {
  std::vector<Size::Entry> entries;
  for (const auto& [key, value] : row.items()) entries.emplace_back(key, value.get<std::int64_t>());
  return Size(std::move(entries));
}

Parameters parameters_from(const Json& row) {
  std::vector<Parameters::Entry> entries;
  for (const auto& [key, value] : row.items()) {
    Parameter parameter = value.is_string()           ? Parameter(value.get<std::string>())
                          : value.is_number_integer() ? Parameter(value.get<std::int64_t>())
                                                      : Parameter(value.get<double>());
    entries.emplace_back(key, std::move(parameter));
  }
  return Parameters(std::move(entries));
}

Problem problem_from(const Json& row) {
  Problem problem;
  problem.size = size_from(row.at("size"));
  problem.parameters = parameters_from(row.value("parameters", Json::object()));
  const std::string type = row.at("type");
  const auto known = element_type(type);
  if (!known) reject("its type is '{}', which this version does not know", type);
  problem.type = *known;
  problem.ranks = row.value("ranks", 0);
  return problem;
}

SideResult side_from(const Json& row) {
  SideResult side;
  side.variant = row.at("variant");
  side.model = row.at("model");
  side.step = row.at("step");
  side.portable = row.value("portable", false);
  side.first_run_s = row.value("first_run_s", 0.0);
  return side;
}

bool fits(const Sample& sample, const Result& result) {
  const Measurement& m = result.measurement;
  return sample.process >= 0 && sample.process < m.processes && sample.side >= 0 &&
         static_cast<std::size_t>(sample.side) < result.sides.size() && sample.allocation >= 0 &&
         sample.allocation < m.allocations && sample.timing.device_s > 0 &&
         sample.timing.wall_s > 0;
}

void take_measurement(Result& result, const Json& row, std::vector<Sample> samples) {
  for (const Json& amount : row.at("limit").at("amounts")) {
    result.cost.push_back({amount.at("amount"), amount.at("limit"), amount.value("path", -1)});
  }
  Measurement& m = result.measurement;
  m.processes = row.value("processes", 1);
  m.allocations = row.at("allocations");
  m.stop = named(row, "stop", {Stop::precise, Stop::blocks, Stop::time, Stop::throttled});
  const Json& load = row.at("load");
  m.load = {.wall_s = load.at("wall_s"),
            .switches = load.at("switches"),
            .timed_s = load.at("timed_s"),
            .steal_s = load.at("steal_s"),
            .others_s = load.at("others_s"),
            .clock = load.value("clock", 1.0)};
  m.samples = std::move(samples);
  if (!std::ranges::all_of(m.samples, [&](const Sample& sample) { return fits(sample, result); })) {
    throw UsageError("a sample does not fit its result");
  }
  const auto sides = static_cast<std::ptrdiff_t>(result.sides.size());
  const auto kept = std::ranges::count_if(m.samples, &Sample::kept);
  m.blocks = static_cast<int>(kept / sides);
  m.dropped = static_cast<int>((std::ssize(m.samples) - kept) / sides);
  for (const Sample& sample : m.samples) m.batch = std::max(m.batch, sample.batch);
}

Result facts_of(const Json& row, std::vector<Sample> samples) {
  Result result;
  result.id = row.at("id");
  result.role = named(row, "role", {Role::pair, Role::best, Role::solo, Role::null});
  result.algorithm = row.at("algorithm");
  result.step = row.at("step");
  result.problem = problem_from(row);
  result.parameters_text = row.value("parameters_text", "");
  result.agreement = row.value("agreement", "");
  result.own_answer = row.value("own_answer", false);
  result.regime = named(row, "regime", {Regime::cold, Regime::hot});
  for (const Json& side : row.at("sides")) result.sides.push_back(side_from(side));
  if (result.sides.size() != (result.role == Role::solo ? 1U : 2U)) {
    reject("a {} has not {} sides", name(result.role), result.sides.size());
  }
  result.agrees = row.at("agrees");
  result.disagreement = row.value("disagreement", "");
  result.failed = row.value("failed", std::vector<std::string>());
  result.truth = row.value("truth", "");
  if (row.contains("known_defect")) {
    const Json& defect = row["known_defect"];
    result.defect = {defect.at("what"), defect.at("reason"), defect.at("reproducer")};
  }
  result.disturbed = row.value("disturbed", "");
  if (result.agrees) take_measurement(result, row, std::move(samples));
  return result;
}

}  // namespace

Floor floor_of(const Cost& cost, const std::map<std::string, Limit>& limits) {
  struct Path {
    double seconds = 0, longest = 0;
    const Limit* limit = nullptr;  // of its longest amount
    // The rate at which that amount is done, on average over the whole path.
    Limit left() const {
      const double share = longest / seconds;
      const auto& [low, high] = limit->interval;
      return {limit->name, limit->value * share, limit->unit, {low * share, high * share}};
    }
  };
  Floor result;
  std::map<int, Path> paths;
  int alone = std::numeric_limits<int>::min();  // amounts without a path, each under its own
  for (const Amount& amount : cost) {
    const auto limit = limits.find(amount.limit);
    if (limit == limits.end() || limit->second.value <= 0) continue;
    Path& path = paths[amount.path >= 0 ? amount.path : alone++];
    const double seconds = amount.amount / limit->second.value;
    path.seconds += seconds;
    double& other = result.others[limit->first];
    other = std::max(other, seconds);
    if (path.limit != nullptr && seconds <= path.longest) continue;
    path.longest = seconds;
    path.limit = &limit->second;
  }
  for (const auto& [number, path] : paths) {
    if (path.seconds <= result.seconds) continue;
    result.seconds = path.seconds;
    result.limit = path.left();
  }
  result.others.erase(result.limit.name);
  return result;
}

void conclude(Result& result) { conclude(result, result.measurement.load.disturbance()); }

void conclude(Result& result, const std::string& disturbed) {
  const Measurement& m = result.measurement;
  for (std::size_t i = 0; i < result.sides.size(); ++i) {
    fill_side(result.sides[i], static_cast<int>(i), result);
  }
  result.disturbed = disturbed;
  result.launch_gaps = launch_gaps_of(result);
  if (!result.paired()) return;
  result.ratio = m.ratio(&Timing::device_s);
  result.wall_ratio = m.ratio(&Timing::wall_s);
  if (result.role != Role::null) {  // both sides of a null are the same in every run
    result.ratio = with_run_to_run(result.ratio);
    result.wall_ratio = with_run_to_run(result.wall_ratio);
  }
  if (result.role == Role::null && result.ratio.decided()) result.noise = result.ratio.interval;
  result.undecided = why_undecided(result);
  result.verdict =
      result.undecided.empty() ? judge(result.ratio.interval, *result.noise) : Verdict::unclear;
}

std::string Result::problem_text() const {
  return problem.size.text() + (parameters_text.empty() ? "" : "," + parameters_text);
}

std::string Result::where() const {
  return fmt::format("{} {} {}", problem_text(), name(problem.type), name(regime));
}

Json to_json(const Size& size) {
  Json result = Json::object();
  for (const auto& [key, value] : size.entries()) result[key] = value;
  return result;
}

Json to_json(const Parameters& parameters) {
  Json result = Json::object();
  for (const auto& [key, value] : parameters.entries()) {
    std::visit([&, &name = key](const auto& held) { result[name] = held; }, value);
  }
  return result;
}

Json to_json(const Limit& limit) {
  Json row{{"name", limit.name}, {"value", limit.value}, {"unit", limit.unit}};
  if (limit.interval.high > 0) add_interval(row, "", limit.interval);
  return row;
}

Json to_json(const Result& r) {
  Json row{{"id", r.id},
           {"role", name(r.role)},
           {"algorithm", r.algorithm},
           {"step", r.step},
           {"size", to_json(r.problem.size)},
           {"size_text", r.problem.size.text()},
           {"parameters", to_json(r.problem.parameters)},
           {"parameters_text", r.parameters_text},
           {"type", name(r.problem.type)},
           {"regime", name(r.regime)},
           {"sides", Json::array()}};
  for (const SideResult& side : r.sides) row["sides"].push_back(side_json(side, r));
  if (r.own_answer) row["own_answer"] = true;
  row["agreement"] = r.agreement;
  row["truth"] = r.truth;
  row["agrees"] = r.agrees;
  if (r.defect) {
    row["known_defect"] = {{"what", r.defect->what},
                           {"reason", r.defect->reason},
                           {"reproducer", r.defect->reproducer},
                           {"seen", !r.agrees}};
  }
  if (!r.agrees) {
    if (!r.failed.empty()) row["failed"] = r.failed;
    row["disagreement"] = r.disagreement;
    return row;
  }
  if (r.paired() && r.measured()) {
    add_ratio(row, "ratio", r.ratio);
    add_ratio(row, "wall_ratio", r.wall_ratio);
    add_verdict(row, r);
  }
  row["limit"] = to_json(r.limit);
  row["limit"]["floor_s"] = r.floor_s;
  Json& amounts = row["limit"]["amounts"] = Json::array();
  for (const Amount& amount : r.cost) {
    amounts.push_back({{"limit", amount.limit}, {"amount", amount.amount}});
    if (amount.path >= 0) amounts.back()["path"] = amount.path;
  }
  if (r.problem.ranks > 0) row["ranks"] = r.problem.ranks;
  if (r.measurement.processes > 1) row["processes"] = r.measurement.processes;
  row["allocations"] = r.measurement.allocations;
  row["blocks"] = r.measurement.blocks;
  row["dropped"] = r.measurement.dropped;
  row["stop"] = name(r.measurement.stop);
  const Load& load = r.measurement.load;
  row["load"] = {{"wall_s", load.wall_s},     {"timed_s", load.timed_s},
                 {"switches", load.switches}, {"steal_s", load.steal_s},
                 {"others_s", load.others_s}, {"clock", load.clock}};
  if (!r.disturbed.empty()) row["disturbed"] = r.disturbed;
  if (!r.launch_gaps.empty()) row["launch_gaps"] = r.launch_gaps;
  return row;
}

std::vector<Json> samples_to_json(const Result& r, const std::string& platform) {
  const std::string problem = fmt::format("{}/{} {}", r.algorithm, r.step, r.where());
  std::vector<Json> rows;
  for (const Sample& sample : r.measurement.samples) {
    const SideResult& side = r.sides[sample.side];
    rows.push_back({{"problem", problem},
                    {"platform", platform},
                    {"application", side.model},
                    {"fom", sample.timing.device_s},
                    {"result", r.id},
                    {"variant", side.variant},
                    {"size", r.problem.size.text()},
                    {"type", name(r.problem.type)},
                    {"regime", name(r.regime)}});
    rows.back().update(to_json(sample));
  }
  return rows;
}

std::vector<Json> ranks_to_json(const Result& r) {
  std::vector<Json> rows;
  for (const Sample& sample : r.measurement.samples) {
    if (sample.timing.ranks_s.empty()) continue;
    rows.push_back({{"result", r.id},
                    {"process", sample.process},
                    {"allocation", sample.allocation},
                    {"block", sample.block},
                    {"side", sample.side},
                    {"device_s", sample.timing.ranks_s}});
  }
  return rows;
}

Finding judge_answers(const Algorithm& algorithm, const Problem& problem,
                      const std::vector<Answered>& answers, const Instance& instance) {
  const Ranks& ranks = instance.stream().ranks();
  Finding finding;
  ranks.together([&] {
    if (ranks.is_first()) finding = judged(algorithm, problem, answers, instance);
  });
  return {ranks.from_first(finding.truth), ranks.from_first(finding.disagreement)};
}

Limit limit_from(const Json& row) {
  return {row.at("name"),
          row.at("value"),
          row.at("unit"),
          {row.value("low", 0.0), row.value("high", 0.0)}};
}

std::map<std::string, Limit> limits_from(const std::vector<Json>& rows) {
  std::map<std::string, Limit> result;
  for (const Json& row : rows) result[row.at("name")] = limit_from(row);
  return result;
}

Result result_from(const Json& row, std::vector<Sample> samples) {
  try {
    return facts_of(row, std::move(samples));
  } catch (const Json::exception& error) {
    reject("it is damaged ({}): measure again", error.what());
  }
}

void conclude(Result& result, const std::map<std::string, Limit>& limits,
              std::optional<Interval>& noise) {
  const Floor floor = floor_of(result.cost, limits);
  result.limit = floor.limit;
  result.floor_s = floor.seconds;
  result.other_floors = floor.others;
  result.noise = noise;
  if (result.measured()) conclude(result, std::string(result.disturbed));
  if (result.role == Role::null) noise = result.noise;
}

}  // namespace portcost
