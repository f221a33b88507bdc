// SPDX-License-Identifier: Apache-2.0
#include "perf/command/process_record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "perf/command/input_files.hpp"
#include "perf/command/resume.hpp"
#include "src/record/record_samples.hpp"
#include "src/support/error.hpp"
#include "variants/catalogue.hpp"

namespace portcost {

namespace {

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
  problem.parameters = parameters_from(row.at("parameters"));
  const std::string type = row.at("type");
  const auto known = element_type(type);
  if (!known) throw UsageError(fmt::format("a type '{}' is not known to this version", type));
  problem.type = *known;
  problem.ranks = row.value("ranks", 0);
  return problem;
}

bool fits(const Sample& sample, const Result& result) {
  return sample.process == 0 && sample.side >= 0 &&
         static_cast<std::size_t>(sample.side) < result.sides.size() && sample.allocation >= 0 &&
         sample.allocation < result.measurement.allocations && sample.timing.device_s > 0 &&
         sample.timing.wall_s > 0;
}

Result result_with_samples(const Json& row, std::vector<Sample> samples) {
  Result result = result_of_row(row);
  const std::string algorithm = row.at("algorithm");
  result.algorithm = find_algorithm(algorithm);
  if (result.algorithm == nullptr) {
    throw UsageError(fmt::format(
        "an algorithm '{}' is not known to this version, or left out of this build", algorithm));
  }
  result.problem = problem_from(row);
  result.regime = row.at("regime") == name(Regime::hot) ? Regime::hot : Regime::cold;
  result.defect = defect_of_row(row, *result.algorithm, result.problem);
  if (row.contains("limit")) {
    for (const Json& amount : row["limit"].at("amounts")) {
      result.cost.push_back({amount.at("amount"), amount.at("limit"), amount.value("path", -1)});
    }
  }
  if (!std::all_of(samples.begin(), samples.end(),
                   [&](const Sample& sample) { return fits(sample, result); })) {
    throw UsageError("a sample does not fit its result");
  }
  result.measurement.samples = std::move(samples);
  if (result.sides.empty()) throw UsageError("it has no sides");
  return result;
}

std::string side_names(const Result& result) {
  std::string text;
  for (const SideResult& side : result.sides) {
    text += fmt::format("{}{}", text.empty() ? "" : " against ", side.variant);
  }
  return text;
}

// The words of the measurement without its seed, in which processes differ.
std::string words_without_seed(const Json& header) {
  std::string text = "portcost bench";
  bool skip = false;
  for (const Json& word : header.value("arguments", Json::array())) {
    const auto one = word.get<std::string>();
    if (!skip && one != "--seed" && !one.starts_with("--seed=")) text += ' ' + one;
    skip = !skip && one == "--seed";
  }
  return text;
}

// What may differ from one process to the next: where it was bound to, and a node's exact memory.
Json machine_that_matters(const Json& header) {
  Json machine = header.value("machine", Json::object());
  machine.erase("affinity");
  machine.erase("memory_bytes");
  return machine;
}

// Which computers they were on may differ.
Json ranks_that_matter(const Json& header) {
  Json ranks = header.value("ranks", Json::object());
  ranks.erase("each");
  return ranks;
}

[[noreturn]] void refuse(const ProcessRecord& first, const ProcessRecord& other,
                         const std::string& what) {
  throw UsageError(
      fmt::format("'{}' and '{}' cannot be combined: {}", first.path, other.path, what));
}

void check_headers(const ProcessRecord& first, const ProcessRecord& other) {
  const std::string a = words_without_seed(first.header), b = words_without_seed(other.header);
  if (a != b) refuse(first, other, fmt::format("the first measured `{}`, the other `{}`", a, b));
  const std::string over = difference(ranks_that_matter(first.header),
                                      ranks_that_matter(other.header), "the first", "the other");
  if (!over.empty()) refuse(first, other, "other processes together, " + over);
  const std::string machine =
      difference(machine_that_matters(first.header), machine_that_matters(other.header),
                 "the first", "the other");
  if (!machine.empty()) refuse(first, other, "another machine, " + machine);
  const auto part = [](const ProcessRecord& record, const char* name) {
    return record.header.value(name, Json::object());
  };
  for (const char* name : {"build", "settings"}) {
    const std::string what =
        difference(part(first, name), part(other, name), "the first", "the other");
    if (!what.empty()) refuse(first, other, fmt::format("other {}, {}", name, what));
  }
  if (const std::string what = other_files(first.header, other.header); !what.empty()) {
    refuse(first, other, "other files, " + what);
  }
  for (const char* name : {"version", "commit"}) {
    const Json here = first.header.value(name, Json()), there = other.header.value(name, Json());
    if (here == there) continue;
    refuse(first, other,
           fmt::format("another {}, the first {}, the other {}", name, here.dump(), there.dump()));
  }
}

void check_results(const ProcessRecord& first, const ProcessRecord& other) {
  for (const Result& result : first.results) {
    const Result* same = find_same(other, result);
    const std::string where = place_in_campaign(result);
    if (same == nullptr) refuse(first, other, fmt::format("the other lacks {}", where));
    const std::string a = side_names(result), b = side_names(*same);
    if (a != b) {
      refuse(first, other,
             fmt::format("{} is {} in the first and {} in the other; measure the other with --like "
                         "and the first",
                         where, a, b));
    }
    if (result.agrees && same->agrees &&
        result.measurement.allocations != same->measurement.allocations) {
      refuse(first, other,
             fmt::format("{} was measured in {} allocations by the first and in {} by the other",
                         where, result.measurement.allocations, same->measurement.allocations));
    }
  }
  for (const Result& result : other.results) {
    if (find_same(first, result) == nullptr) {
      refuse(first, other, fmt::format("the first lacks {}", place_in_campaign(result)));
    }
  }
}

void check_limits(const ProcessRecord& first, const ProcessRecord& other) {
  const auto names = [](const ProcessRecord& record) {
    std::vector<std::string> result;
    for (const Limit& limit : record.limits) result.push_back(limit.name);
    return result;
  };
  if (names(first) != names(other)) refuse(first, other, "they measured other limits");
}

bool same_process(const ProcessRecord& a, const ProcessRecord& b) {
  return a.header.value("date", Json()) == b.header.value("date", Json()) &&
         a.header.value("seed", Json()) == b.header.value("seed", Json());
}

}  // namespace

ProcessRecord read_process(const std::string& path) {
  RecordWithSamples read = read_record_with_samples(path);
  if (read.part.header.contains("processes")) {
    throw UsageError(
        fmt::format("'{}' is combined already: give the records of the processes", path));
  }
  ProcessRecord record;
  record.path = path;
  record.header = std::move(read.part.header);
  record.rows = std::move(read.part.results);
  record.failures = std::move(read.part.failures);
  for (const Json& row : record.rows) {
    const Json id = row.value("id", Json());
    const std::size_t index = record.results.size();
    try {
      record.results.push_back(result_with_samples(row, std::move(read.samples[id.get<int>()])));
      if (!record.places.emplace(place_in_campaign(record.results.back()), index).second) {
        throw UsageError("it is there twice");
      }
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("'{}': result {}: {}", path, id.dump(), error.what()));
    } catch (const Json::exception& error) {
      throw UsageError(fmt::format("'{}': result {} is damaged ({}): measure again", path,
                                   id.dump(), error.what()));
    }
  }
  for (const Json& row : read.part.limits) record.limits.push_back(limit_from(row));
  return record;
}

std::string place_in_campaign(const Result& result) {
  std::string what(result.algorithm->name);
  if (result.role == Role::pair) what += '/' + result.step;
  if (result.role == Role::solo) what = result.sides.at(0).variant;
  return fmt::format("{} {} {} {} {}", name(result.role), what, result.problem_text(),
                     name(result.problem.type), name(result.regime));
}

const Result* find_same(const ProcessRecord& record, const Result& result) {
  const auto found = record.places.find(place_in_campaign(result));
  return found == record.places.end() ? nullptr : &record.results[found->second];
}

void check_same_measurements(const std::vector<ProcessRecord>& records) {
  if (records.size() < 2) throw UsageError("one record alone: name two or more to be combined");
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!same_process(records[j], records[i])) continue;
      throw UsageError(
          fmt::format("'{}' and '{}' are one process (same date and seed): give each once",
                      records[j].path, records[i].path));
    }
  }
  for (std::size_t i = 1; i < records.size(); ++i) {
    check_headers(records[0], records[i]);
    check_limits(records[0], records[i]);
    check_results(records[0], records[i]);
  }
}

}  // namespace portcost
