// SPDX-License-Identifier: Apache-2.0
#include "perf/command/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace portcost {

namespace {

std::string unit_of(const Result& result) {
  if (result.paired()) return std::string(name(result.ratio.unit));
  const bool several = std::ranges::any_of(
      result.measurement.samples, [](const Sample& sample) { return sample.allocation > 0; });
  return std::string(name(several ? Unit::allocation : Unit::block));
}

// The log time of a variant in a row; of a null, both of whose sides are the variant, of both.
double log_time(const Result& result, int side) {
  const Measurement& m = result.measurement;
  if (result.role != Role::null) return m.time(&Timing::device_s, side).log.mean;
  auto logs = m.unit_logs(&Timing::device_s, 0);
  const auto others = m.unit_logs(&Timing::device_s, 1);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    for (std::size_t j = 0; j < logs[i].size(); ++j) logs[i][j] = (logs[i][j] + others[i][j]) / 2;
  }
  return estimate(logs).log.mean;
}

Json to_json(const Estimate& estimate) {
  return {{"log", estimate.log.mean},        {"error", estimate.log.standard_error},
          {"degrees", estimate.log.degrees}, {"unseen", estimate.unseen},
          {"unit", name(estimate.unit)},     {"units", estimate.units}};
}

Estimate estimate_from(const Json& row) {
  Estimate result;
  result.log = {row.at("log"), row.at("error"), row.at("degrees")};
  result.unseen = row.at("unseen");
  result.units = row.at("units");
  for (const Unit unit : {Unit::allocation, Unit::process, Unit::block}) {
    if (row.at("unit").get<std::string>() == name(unit)) result.unit = unit;
  }
  return result;
}

}  // namespace

Ratios::Ratios(const std::vector<Result>& results) {
  struct Times {
    std::string unit;
    std::vector<double> logs;
  };
  std::map<std::string, Times> times;  // of each variant of a problem in each unit
  for (const Result& result : results) {
    results_[result.id] = &result;
    if (!result.measured()) continue;
    const std::string unit = unit_of(result);
    for (int side = 0; side < std::ssize(result.sides); ++side) {
      if (side == 1 && result.role == Role::null) continue;
      const std::string key =
          fmt::format("{} {} {}", unit, result.sides[side].variant, result.where());
      times[key].unit = unit;
      times[key].logs.push_back(log_time(result, side));
    }
  }
  for (const auto& [key, found] : times) {
    double mean = 0, squares = 0;
    for (const double log : found.logs) mean += log / static_cast<double>(found.logs.size());
    for (const double log : found.logs) squares += std::pow(log - mean, 2);
    for (const std::string& unit : {found.unit, std::string()}) {
      if (found.logs.size() < 2) continue;
      spreads_[unit].squares += squares;
      spreads_[unit].degrees += static_cast<int>(found.logs.size()) - 1;
    }
  }
}

Estimate Ratios::estimate_of(const Json& term) const {
  const Estimate found =
      term.contains("estimate")
          ? estimate_from(term["estimate"])
          : results_.at(term.at("result"))->measurement.time(&Timing::device_s, term.at("side"));
  return term.at("sign") > 0 ? found : inverse(found);
}

// Where the same processes measured all terms, each gives one number: the product of its own.
Estimate Ratios::product_of(const Json& terms) const {
  std::vector<Estimate> factors;
  std::map<std::size_t, std::vector<double>> logs;  // of each process, where all terms have it
  bool by_process = true;
  for (const Json& term : terms) {
    factors.push_back(estimate_of(term));
    by_process = by_process && !term.contains("estimate") && factors.back().unit == Unit::process;
    if (!by_process) continue;
    const Measurement& m = results_.at(term.at("result"))->measurement;
    const auto lists = m.unit_logs(&Timing::device_s, term.at("side"));
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (!lists[i].empty())
        logs[i].push_back(term.at("sign").get<double>() * interquartile_mean(lists[i]).mean);
    }
  }
  if (!by_process || terms.size() == 1) return product(factors);
  std::vector<std::vector<double>> numbers;
  for (const auto& [process, parts] : logs) {
    if (parts.size() < terms.size()) continue;
    numbers.push_back({0});
    for (const double part : parts) numbers.back()[0] += part;
  }
  return numbers.size() < 2 ? product(factors) : estimate(numbers, Unit::process);
}

Estimate Ratios::with_rows(const Estimate& found, const Json& terms) const {
  if (found.unit == Unit::process || terms.at(0).at("result") == terms.at(1).at("result")) {
    return found;
  }
  Estimate rows = found;
  rows.log = {};
  rows.units = fewest(found.unit);
  rows.unseen = 0;
  for (const Json& term : terms) {
    const Result& result = *results_.at(term.at("result"));
    auto spread = spreads_.find(result.paired() ? unit_of(result) : "");
    if (spread == spreads_.end()) spread = spreads_.find("");
    Estimate none = found;
    none.units = 0;
    if (spread == spreads_.end()) return none;  // Nothing says how far two rows differ.
    const auto& [squares, degrees] = spread->second;
    rows.log.standard_error = std::hypot(rows.log.standard_error, std::sqrt(squares / degrees));
    rows.log.degrees = rows.log.degrees == 0 ? degrees : std::min(rows.log.degrees, degrees);
  }
  Estimate result = product(std::vector{found, rows});
  result.units = found.units;
  return result;
}

Json Ratios::answer(const Json& question) const {
  const Json& terms = question.at("terms");
  Estimate found = product_of(terms);
  if (question.value("apart", false)) found = with_rows(found, terms);
  if (const int runs = question.value("runs", 0); runs > 0) found = with_run_to_run(found, runs);
  Json row{{"value", found.value},
           {"units", found.units},
           {"distance", std::abs(found.log.mean)},
           {"seen", found.log.standard_error},
           {"error", std::hypot(found.log.standard_error, found.unseen)},
           {"estimate", to_json(found)}};
  if (!found.decided()) return row;
  row["low"] = found.interval.low;
  row["high"] = found.interval.high;
  if (question.contains("noise")) {
    row["verdict"] =
        name(judge(found.interval, {question["noise"].at(0), question["noise"].at(1)}));
  }
  return row;
}

}  // namespace portcost
