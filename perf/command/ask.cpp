// SPDX-License-Identifier: Apache-2.0
// What portcost derive --ask does: it holds what a record says against its samples, so that a
// record that was changed is noticed, and answers questions about ratios.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "perf/command/derive.hpp"

namespace portcost {

namespace {

// Whether a field is there follows from the samples, too.
bool is_concluded(const std::string& field) {
  constexpr std::array begins{"verdict", "undecided", "device_s",       "wall_s",
                              "equal_",  "noise_",    "limit_fraction", "excludes_one"};
  return field.find("ratio") != std::string::npos ||
         std::ranges::any_of(begins, [&](const char* word) { return field.starts_with(word); });
}

// A row without what follows from its samples.
Json facts_alone(Json row) {
  for (auto it = row.begin(); it != row.end();) {
    if (row.is_object() && is_concluded(it.key())) {
      it = row.erase(it);
    } else {
      if (it->is_structured()) *it = facts_alone(*it);
      ++it;
    }
  }
  return row;
}

// The first field in which a row says another thing than what was made of its samples.
std::string contradiction(const Json& said, const Json& made, const std::string& field) {
  if (said.is_number() && made.is_number()) {
    const double a = said, b = made;
    if (std::abs(a - b) <= 1e-8 * std::max(std::abs(a), std::abs(b))) return {};
  } else if (said.is_object() && made.is_object()) {
    for (const auto& [key, value] : made.items()) {
      if (!said.contains(key) && is_concluded(key)) return fmt::format("{} is missing", key);
      if (!said.contains(key)) continue;
      const std::string inner = field.empty() ? key : field + "." + key;
      if (std::string text = contradiction(said[key], value, inner); !text.empty()) return text;
    }
    for (const auto& [key, value] : said.items()) {
      if (is_concluded(key) && !made.contains(key)) {
        return fmt::format("{} is said to be {}, and the samples give none", key, value.dump());
      }
    }
    return {};
  } else if (said.is_array() && made.is_array() && said.size() == made.size()) {
    for (std::size_t i = 0; i < said.size(); ++i) {
      const std::string inner = fmt::format("{}[{}]", field, i);
      if (std::string text = contradiction(said[i], made[i], inner); !text.empty()) return text;
    }
    return {};
  } else if (said == made) {
    return {};
  }
  return fmt::format("{} is said to be {}, and the samples give {}", field, said.dump(),
                     made.dump());
}

// What of "r1=8,file=/a,b" does not follow from the parameters, which it names in their order.
std::string unlike(const Parameters& parameters, std::string text) {
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::string one = Parameters({entry}).text();
    if (text == one) return {};
    if (text.starts_with(one + ',')) text.erase(0, one.size() + 1);
  }
  return text;
}

class Checker {
 public:
  Checker(const RecordFacts& record, const Derived& derived) : record_(record), derived_(derived) {}

  void check() const {
    std::set<int> ids;
    for (const Result& result : record_.results) {
      if (ids.insert(result.id).second) continue;  // Samples point at results by id.
      refuse(fmt::format("two results have the id {}", result.id));
    }
    if (record_.results.empty() && record_.rows.counters.empty()) refuse("it holds no results");
    if (record_.rows.ended &&
        record_.rows.end_line.value("results", Json()) != record_.results.size()) {
      refuse(fmt::format("its end line counts {} results, and {} are there",
                         record_.rows.end_line.value("results", Json()).dump(),
                         record_.results.size()));
    }
    if (!record_.results.empty() && record_.rows.header.value("run_to_run", 0.0) != run_to_run) {
      refuse(fmt::format("its header's run_to_run is {}, and this version takes {}",
                         record_.rows.header.value("run_to_run", Json()).dump(), run_to_run));
    }
    check_limits();
    for (std::size_t i = 0; i < record_.results.size(); ++i) {
      check_result(derived_.results[i], record_.rows.results[i]);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    reject("'{}': {}: measure again with perf/run", record_.path, what);
  }

  [[noreturn]] void refuse(const Result& result, const std::string& what) const {
    refuse(
        fmt::format("result {} ({}): {}: the record was changed", result.id, key_of(result), what));
  }

  void check_limits() const {
    std::set<std::string> names;
    for (const Json& row : record_.rows.limits) {
      const Limit limit = limit_from(row);
      const auto& [low, high] = limit.interval;
      if (!names.insert(limit.name).second) {
        refuse(fmt::format("the limit {} is there twice", limit.name));
      }
      if (limit.value <= 0 || (high > 0 && !(low > 0 && low <= high))) {
        refuse(
            fmt::format("the limit {} is {}, from {} to {}", limit.name, limit.value, low, high));
      }
      if (!row.contains("processes") || row["processes"].size() < 2) continue;
      const std::string text = contradiction(
          row, combined_limit(limit, row["processes"].get<std::vector<double>>()), "");
      if (!text.empty()) refuse(fmt::format("the limit {}: {}", limit.name, text));
    }
  }

  void check_result(const Result& result, const Json& said) const {
    if (!result.agrees && said.at("samples") != 0) {
      refuse(result, "its answers differ, and yet it has samples");
    }
    if (result.agrees && !result.failed.empty()) {
      refuse(result, "a side has failed, and yet its answers agree");
    }
    const Json processes = record_.rows.header.value("processes", Json::array());
    if (result.agrees && static_cast<std::size_t>(result.measurement.processes) !=
                             std::max<std::size_t>(1, processes.size())) {
      refuse(result, fmt::format("it is of {} processes, and the header names {}",
                                 result.measurement.processes, processes.size()));
    }
    if (const std::string rest = unlike(result.problem.parameters, result.parameters_text);
        !rest.empty() && !result.problem.parameters.entries().empty()) {
      refuse(result, fmt::format("parameters_text says '{}', and parameters does not", rest));
    }
    check_failures(result);
    check_blocks(result);
    check_ranks(result);
    const Json made = to_json(result);
    // The conclusions of an older format are those of its version.
    const bool whole = record_.rows.header.value("format", 0) == record_format;
    if (const std::string text = whole ? contradiction(said, made, "")
                                       : contradiction(facts_alone(said), facts_alone(made), "");
        !text.empty()) {
      refuse(result, text);
    }
  }

  // Something says why a side has failed.
  void check_failures(const Result& result) const {
    for (const std::string& variant : result.failed) {
      if (std::ranges::find(result.sides, variant, &SideResult::variant) == result.sides.end()) {
        refuse(result, fmt::format("{} is said to have failed, and is none of its sides", variant));
      }
      const auto is_its = [&](const Json& row) {
        return row.at("variant") == variant && row.at("type") == name(result.problem.type) &&
               row.at("regime") == name(result.regime) &&
               row.at("size_text") == result.problem.size.text() &&
               row.value("parameters_text", "") == result.parameters_text;
      };
      if (std::ranges::none_of(record_.rows.failures, is_its)) {
        refuse(result, fmt::format("{} is said to have failed, and no row says how", variant));
      }
    }
  }

  // Every block has one sample of each side, and is kept or dropped completely.
  void check_blocks(const Result& result) const {
    std::map<std::tuple<int, int, int>, std::vector<const Sample*>> blocks;
    for (const Sample& sample : result.measurement.samples) {
      blocks[{sample.process, sample.allocation, sample.block}].push_back(&sample);
    }
    for (const auto& [place, samples] : blocks) {
      std::set<int> sides;
      bool together = samples.size() == result.sides.size();
      for (const Sample* sample : samples) {
        together =
            together && sides.insert(sample->side).second && sample->kept == samples[0]->kept;
      }
      if (together) continue;
      refuse(result,
             fmt::format("block {} is not one sample of each side, kept or dropped together",
                         std::get<2>(place)));
    }
  }

  // A sample has the seconds of its slowest rank; of a batch, at least those.
  void check_ranks(const Result& result) const {
    const Json header = record_.rows.header.value("ranks", Json::object());
    for (const Sample& sample : result.measurement.samples) {
      const std::vector<double>& ranks = sample.timing.ranks_s;
      if (ranks.empty()) continue;
      if (header.value("count", Json()) != ranks.size()) {
        refuse(result, fmt::format("a sample has the seconds of {} ranks, and the header counts {}",
                                   ranks.size(), header.value("count", Json()).dump()));
      }
      const double slowest = std::ranges::max(ranks), found = sample.timing.device_s;
      if (slowest > found * (1 + 1e-9) || (sample.batch == 1 && slowest != found)) {
        refuse(result,
               fmt::format("the seconds of a sample (block {}) are not those of its slowest "
                           "rank",
                           sample.block));
      }
    }
  }

  const RecordFacts& record_;
  const Derived& derived_;
};

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

void check_said(const RecordFacts& record, const Derived& derived) {
  try {
    Checker(record, derived).check();
  } catch (const Json::exception& error) {
    reject("'{}': a row is damaged ({}): measure again with perf/run", record.path, error.what());
  }
}

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
