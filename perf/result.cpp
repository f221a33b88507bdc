// SPDX-License-Identifier: Apache-2.0
#include "perf/result.hpp"

#include <fmt/format.h>

namespace portcost {

namespace {

Json size_json(const Size& size) {
  Json result = Json::object();
  for (const auto& [key, value] : size.entries()) result[key] = value;
  return result;
}

Json parameters_json(const Parameters& parameters) {
  Json result = Json::object();
  for (const auto& [key, value] : parameters.entries()) result[key] = value;
  return result;
}

Json quartiles_json(const Quartiles& q) {
  return {{"min", q.min}, {"q1", q.q1}, {"median", q.median}, {"q3", q.q3}};
}

Json side_json(const SideResult& side, const Result& result) {
  Json row{{"variant", side.variant}, {"model", side.model}, {"step", side.step}};
  if (!result.measured()) return row;
  row["first_run_s"] = side.first_run_s;
  row["device_s"] = quartiles_json(side.device_s);
  row["wall_s"] = quartiles_json(side.wall_s);
  row["limit_fraction"] = side.limit_fraction;
  row["batch"] = result.measurement.batch;
  return row;
}

void add_ratio(Json& row, const char* prefix, const Ratio& ratio) {
  row[fmt::format("{}ratio", prefix)] = ratio.value;
  row[fmt::format("{}ratio_low", prefix)] = ratio.interval.low;
  row[fmt::format("{}ratio_high", prefix)] = ratio.interval.high;
}

}  // namespace

std::string_view name(Role role) {
  switch (role) {
    case Role::pair:
      return "pair";
    case Role::best:
      return "best";
    case Role::solo:
      return "solo";
    case Role::null:
      return "null";
  }
  return "?";
}

std::string Result::parameters_text() const {
  return changed(problem.parameters, algorithm->parameter_keys).text();
}

std::string Result::problem_text() const {
  const std::string parameters = parameters_text();
  return problem.size.text() + (parameters.empty() ? "" : "," + parameters);
}

Json to_json(const Result& r) {
  Json row{{"id", r.id},
           {"role", name(r.role)},
           {"algorithm", r.algorithm->name},
           {"step", r.step},
           {"size", size_json(r.problem.size)},
           {"size_text", r.problem.size.text()},
           {"parameters", parameters_json(r.problem.parameters)},
           {"parameters_text", r.parameters_text()},
           {"type", name(r.problem.type)},
           {"regime", name(r.regime)},
           {"sides", Json::array()}};
  for (const SideResult& side : r.sides) row["sides"].push_back(side_json(side, r));
  row["agreement"] = r.algorithm->agreement;
  row["truth"] = r.truth;
  row["agrees"] = r.agrees;
  if (!r.agrees) {
    row["disagreement"] = r.disagreement;
    return row;
  }
  if (r.paired() && r.measured()) {
    add_ratio(row, "", r.ratio);
    add_ratio(row, "wall_", r.wall_ratio);
    row["noise_low"] = r.noise.low;
    row["noise_high"] = r.noise.high;
    row["verdict"] = name(r.verdict);
  }
  row["limit"] = {{"name", r.limit.name}, {"value", r.limit.value}, {"unit", r.limit.unit},
                  {"floor_s", r.floor_s}, {"bytes", r.cost.bytes},  {"flops", r.cost.flops}};
  row["blocks"] = r.measurement.blocks;
  row["dropped"] = r.measurement.dropped;
  row["stop"] = name(r.measurement.stop);
  return row;
}

std::vector<Json> samples_to_json(const Result& r, const std::string& platform) {
  const std::string problem = fmt::format("{}/{} {} {} {}", r.algorithm->name, r.step,
                                          r.problem_text(), name(r.problem.type), name(r.regime));
  std::vector<Json> rows;
  for (const Sample& sample : r.measurement.samples) {
    const SideResult& side = r.sides[static_cast<std::size_t>(sample.side)];
    rows.push_back({{"problem", problem},
                    {"platform", platform},
                    {"application", side.model},
                    {"fom", sample.timing.device_s},
                    {"result", r.id},
                    {"variant", side.variant},
                    {"size", r.problem.size.text()},
                    {"type", name(r.problem.type)},
                    {"regime", name(r.regime)},
                    {"block", sample.block},
                    {"position", sample.position},
                    {"device_s", sample.timing.device_s},
                    {"wall_s", sample.timing.wall_s},
                    {"clock_mhz", sample.clock_mhz > 0 ? Json(sample.clock_mhz) : Json()},
                    {"batch", sample.batch},
                    {"kept", sample.kept}});
  }
  return rows;
}

}  // namespace portcost
