// SPDX-License-Identifier: Apache-2.0
// Holds what a record says against its samples, so that a record that was changed is noticed.

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "perf/command/derive.hpp"
#include "src/support/reject.hpp"

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

}  // namespace

void check_said(const RecordFacts& record, const Derived& derived) {
  try {
    Checker(record, derived).check();
  } catch (const Json::exception& error) {
    reject("'{}': a row is damaged ({}): measure again with perf/run", record.path, error.what());
  }
}

}  // namespace portcost
