// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "perf/command/result.hpp"
#include "src/support/error.hpp"

namespace portcost {

namespace {

// The value of this name.
template <class Named>
Named named(const Json& row, const char* field, std::initializer_list<Named> values) {
  const std::string text = row.at(field);
  for (const Named value : values) {
    if (name(value) == text) return value;
  }
  throw UsageError(fmt::format("its {} is '{}', which this version does not know", field, text));
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
  if (!known) {
    throw UsageError(fmt::format("its type is '{}', which this version does not know", type));
  }
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

Load load_from(const Json& row) {
  return {.wall_s = row.at("wall_s"),
          .switches = row.at("switches"),
          .timed_s = row.at("timed_s"),
          .steal_s = row.at("steal_s"),
          .others_s = row.at("others_s"),
          .clock = row.value("clock", 1.0)};
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
  m.load = load_from(row.at("load"));
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
    throw UsageError(fmt::format("a {} has not {} sides", name(result.role), result.sides.size()));
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
    throw UsageError(fmt::format("it is damaged ({}): measure again", error.what()));
  }
}

void conclude(Result& result, const std::map<std::string, Limit>& limits,
              std::optional<Interval>& noise) {
  const Floor floor = floor_of(result.cost, limits);
  result.limit = floor.limit;
  result.floor_s = floor.seconds;
  result.noise = noise;
  if (result.measured()) conclude(result, std::string(result.disturbed));
  if (result.role == Role::null) noise = result.noise;
}

}  // namespace portcost
