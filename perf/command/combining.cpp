// SPDX-License-Identifier: Apache-2.0
#include "perf/command/combining.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "src/support/error.hpp"

namespace portcost {

namespace {

Json combined_header(const std::vector<ProcessRecord>& records, const std::string& command) {
  Json header = records[0].header;
  header["command"] = command;
  header["run_to_run"] = run_to_run;
  header["processes"] = Json::array();
  for (const ProcessRecord& record : records) {
    Json process = Json::object();
    for (const char* name : {"seed", "date", "command"}) {
      process[name] = record.header.value(name, Json());
    }
    header["processes"].push_back(process);
  }
  return header;
}

CombinedLimit combined_limit(const std::vector<ProcessRecord>& records, std::size_t index) {
  CombinedLimit result{records[0].limits[index], {}};
  std::vector<double> logs;
  for (const ProcessRecord& record : records) {
    result.values.push_back(record.limits[index].value);
    logs.push_back(std::log(result.values.back()));
  }
  const TrimmedMean mean = trimmed_mean(logs);
  result.limit.value = std::exp(mean.mean);
  result.limit.interval = {std::exp(mean.mean - mean.half_width()),
                           std::exp(mean.mean + mean.half_width())};
  return result;
}

// "process 2: text" for each process that has a text.
std::string named_by_process(const std::vector<const Result*>& all, std::string Result::*text) {
  std::string joined;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((all[i]->*text).empty()) continue;
    joined += fmt::format("{}process {}: {}", joined.empty() ? "" : "; ", i + 1, all[i]->*text);
  }
  return joined;
}

void take_first_runs(Result& result, const std::vector<const Result*>& all) {
  for (std::size_t side = 0; side < result.sides.size(); ++side) {
    std::vector<double> seconds;
    for (const Result* one : all) {
      if (one->measured()) seconds.push_back(one->sides[side].first_run_s);
    }
    if (!seconds.empty()) result.sides[side].first_run_s = median(seconds);
  }
}

// What one measurement of all processes says; the noise floor is the combined one.
Result combined_result(const std::vector<const Result*>& all,
                       const std::map<std::string, Limit>& limits,
                       const std::optional<Interval>& noise) {
  Result result = *all[0];
  result.agrees = std::all_of(all.begin(), all.end(), [](const Result* r) { return r->agrees; });
  result.disagreement = named_by_process(all, &Result::disagreement);
  for (const Result* one : all) {
    for (const std::string& variant : one->failed) {
      auto& failed = result.failed;
      if (std::find(failed.begin(), failed.end(), variant) == failed.end())
        failed.push_back(variant);
    }
  }
  if (!result.failed.empty()) result.defect = nullptr;
  std::vector<Measurement> measurements;
  for (const Result* one : all) measurements.push_back(one->measurement);
  if (result.agrees) result.measurement = combined(measurements);
  result.noise = noise;
  const auto measured = std::find_if(all.begin(), all.end(), [](auto* r) { return r->agrees; });
  if (measured != all.end()) result.cost = (*measured)->cost;
  const Floor floor = floor_of(result.cost, limits);
  result.limit = floor.limit;
  result.floor_s = floor.seconds;
  take_first_runs(result, all);
  result.disturbed = named_by_process(all, &Result::disturbed);
  if (result.measured()) conclude(result, std::string(result.disturbed));
  return result;
}

// All results of one problem and regime share a noise floor.
std::string problem_of(const Result& result) {
  return fmt::format("{} {} {} {}", result.algorithm->name, result.problem_text(),
                     name(result.problem.type), name(result.regime));
}

std::vector<Result> combined_results(const std::vector<ProcessRecord>& records,
                                     const std::map<std::string, Limit>& limits) {
  std::map<std::string, std::optional<Interval>> noise;
  std::vector<Result> results;
  for (const Result& first : records[0].results) {
    std::vector<const Result*> all;
    for (const ProcessRecord& record : records) all.push_back(find_same(record, first));
    results.push_back(combined_result(all, limits, noise[problem_of(first)]));
    if (first.role == Role::null) noise[problem_of(first)] = results.back().noise;
  }
  return results;
}

}  // namespace

Json to_json(const CombinedLimit& limit) {
  Json row = to_json(limit.limit);
  row["processes"] = limit.values;
  return row;
}

CombinedRecord combine_records(const std::vector<ProcessRecord>& records,
                               const std::string& command) {
  CombinedRecord result;
  result.header = combined_header(records, command);
  std::map<std::string, Limit> limits;
  for (std::size_t i = 0; i < records[0].limits.size(); ++i) {
    result.limits.push_back(combined_limit(records, i));
    limits[result.limits.back().limit.name] = result.limits.back().limit;
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (Json row : records[i].failures) {
      row.erase("kind");
      row["process"] = i;
      result.failures.push_back(std::move(row));
    }
  }
  result.results = combined_results(records, limits);
  return result;
}

}  // namespace portcost
