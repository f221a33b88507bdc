// SPDX-License-Identifier: Apache-2.0
// portcost derive: what follows from a record's facts, as tables, as a record, or for other tools.
#include "perf/command/derive.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>

#include "perf/command/commands.hpp"
#include "perf/command/resume.hpp"

namespace portcost {

std::string key_of(const Result& result) {
  std::string what = result.algorithm;
  if (result.role == Role::pair || result.step.starts_with("best.")) what += '/' + result.step;
  if (result.role == Role::solo) what = result.sides.at(0).variant;
  return fmt::format("{} {} {}", name(result.role), what, result.where());
}

Json combined_limit(Limit limit, const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  const TrimmedMean mean = trimmed_mean(logs);
  limit.value = std::exp(mean.mean);
  limit.interval = {std::exp(mean.mean - mean.half_width()),
                    std::exp(mean.mean + mean.half_width())};
  Json row = to_json(limit);
  row["processes"] = values;
  return row;
}

namespace {

using ByKey = std::map<std::string, const Result*>;
ByKey by_key(const RecordFacts& record) {
  ByKey results;
  for (const Result& result : record.results) {
    if (!results.emplace(key_of(result), &result).second) {
      reject("'{}' holds {} twice, and cannot be combined", record.path, key_of(result));
    }
  }
  return results;
}

std::string side_names(const Result& result) {
  return joined(result.sides, " against ", &SideResult::variant);
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

[[noreturn]] void refuse(const RecordFacts& first, const RecordFacts& other,
                         const std::string& what) {
  reject("'{}' and '{}' cannot be combined: {}", first.path, other.path, what);
}

void check_headers(const RecordFacts& first, const RecordFacts& other) {
  const std::string a = words_without_seed(first.rows.header),
                    b = words_without_seed(other.rows.header);
  if (a != b) refuse(first, other, fmt::format("the first measured `{}`, the other `{}`", a, b));
  // What may differ: where a process was bound to, a node's exact memory, and which computers the
  // ranks were on.
  const auto part = [](const RecordFacts& record, const std::string& field) {
    Json result = record.rows.header.value(field, Json::object());
    for (const char* free : {"affinity", "memory_bytes", "each"}) result.erase(free);
    return result;
  };
  for (const auto& [field, what] : {std::pair("ranks", "other processes together"),
                                    {"machine", "another machine"},
                                    {"build", "other build"},
                                    {"settings", "other settings"}}) {
    const std::string found =
        difference(part(first, field), part(other, field), "the first", "the other");
    if (!found.empty()) refuse(first, other, fmt::format("{}, {}", what, found));
  }
  if (const std::string what = other_files(first.rows.header, other.rows.header); !what.empty()) {
    refuse(first, other, "other files, " + what);
  }
  for (const char* name : {"version", "commit"}) {
    const Json here = first.rows.header.value(name, Json()),
               there = other.rows.header.value(name, Json());
    if (here == there) continue;
    refuse(first, other,
           fmt::format("another {}, the first {}, the other {}", name, here.dump(), there.dump()));
  }
}

void check_results(const RecordFacts& first, const RecordFacts& other) {
  const ByKey firsts = by_key(first), others = by_key(other);
  for (const Result& result : first.results) {
    const std::string where = key_of(result);
    if (!others.contains(where)) refuse(first, other, fmt::format("the other lacks {}", where));
    const Result* const same = others.at(where);
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
    if (!firsts.contains(key_of(result))) {
      refuse(first, other, fmt::format("the first lacks {}", key_of(result)));
    }
  }
}

void check_one_process(const RecordFacts& record) {
  if (record.rows.header.contains("processes")) {
    reject("'{}' is combined already: give the records of the processes", record.path);
  }
  if (!record.rows.ended) {
    reject(
        "'{}' has no end line: its measurement was stopped, go on with it first (portcost bench "
        "--resume)",
        record.path);
  }
}

Json combined_header(const std::vector<RecordFacts>& records, const std::string& command) {
  Json header = records[0].rows.header;
  header["command"] = command;
  header["run_to_run"] = run_to_run;
  header["processes"] = Json::array();
  for (const RecordFacts& record : records) {
    Json process = Json::object();
    for (const char* name : {"seed", "date", "command"}) {
      process[name] = record.rows.header.value(name, Json());
    }
    header["processes"].push_back(process);
  }
  return header;
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

Result combined_result(const std::vector<const Result*>& all) {
  Result result = *all[0];
  result.agrees = std::ranges::all_of(all, &Result::agrees);
  result.disagreement = named_by_process(all, &Result::disagreement);
  result.disturbed = named_by_process(all, &Result::disturbed);
  std::vector<Measurement> measurements;
  for (const Result* one : all) {
    measurements.push_back(one->measurement);
    for (const std::string& variant : one->failed) {
      if (std::ranges::find(result.failed, variant) == result.failed.end()) {
        result.failed.push_back(variant);
      }
    }
    if (one->agrees) result.cost = one->cost;
  }
  if (!result.failed.empty()) result.defect.reset();
  result.measurement = result.agrees ? combined(measurements) : Measurement();
  for (std::size_t side = 0; side < result.sides.size(); ++side) {
    std::vector<double> seconds;
    for (const Result* one : all) {
      if (one->measured()) seconds.push_back(one->sides[side].first_run_s);
    }
    if (!seconds.empty()) result.sides[side].first_run_s = median(seconds);
  }
  return result;
}

void check_options(const DeriveOptions& options) {
  const auto formats = {"", "json", "google-benchmark", "p3"};
  if (options.ask && (options.records.size() > 1 || !options.out.empty())) {
    throw UsageError("--ask takes one record and no --out");
  }
  if (std::ranges::find(formats, options.format) == formats.end()) {
    reject("--format {} is unknown: json, google-benchmark, p3, or none", options.format);
  }
  if (options.out.empty()) return;
  if (options.records.size() == 1) {
    throw UsageError("--out with one record alone: name two or more to be combined");
  }
  for (const std::string& path : options.records) {
    std::error_code ignored;
    if (path == options.out || std::filesystem::equivalent(path, options.out, ignored)) {
      reject("--out {} is one of the records to be combined: name another file", path);
    }
  }
}

void write(const Derived& derived, const DeriveOptions& options) {
  RecordWriter writer(options.out, {false, options.replace});
  writer.write("header", derived.header);
  for (const Json& limit : derived.limits) writer.write("limit", limit);
  for (const Json& row : derived.failures) writer.write("failure", row);
  const std::string platform = derived.header.at("machine").at("processor");
  for (const Result& result : derived.results) {
    writer.write_result(to_json(result), samples_to_json(result, platform), ranks_to_json(result));
  }
  writer.finish();
  fmt::print("\nrecord: {} and {}\n", writer.path(), writer.csv_path());
}

void print_tables(const Derived& derived) {
  for (const Json& row : derived.limits) {
    const Limit limit = limit_from(row);
    fmt::print("{}: {}{}\n", limit.name, readable_limit(limit), readable_interval(limit));
  }
  const auto& results = derived.results;
  for (auto first = results.begin(); first != results.end();) {
    const auto last = std::find_if_not(first, results.end(), [&](const Result& r) {
      return r.algorithm == first->algorithm && r.where() == first->where();
    });
    fmt::print("{}", group_table({first, last}));
    first = last;
  }
}

void print_rows(const Derived& derived, const std::vector<Json>& results,
                const std::vector<Json>& counters = {}) {
  const auto print = [](const char* kind, const Json& fields) {
    fmt::print("{}", row_text(kind, fields));
  };
  print("header", derived.header);
  for (const Json& row : derived.limits) print("limit", row);
  for (const Json& row : derived.failures) print("failure", row);
  for (const Json& row : results) print("result", row);
  for (const Json& row : counters) print("counters", row);
  if (derived.ended) print("end", {{"results", derived.results.size()}});
}

// The median seconds of the fastest rank and of the slowest.
Json ranks_of_side(const Result& result, int side) {
  std::vector<std::vector<double>> seconds;
  for (const Sample& sample : result.measurement.samples) {
    if (sample.side != side) continue;
    seconds.resize(sample.timing.ranks_s.size());
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      seconds[i].push_back(sample.timing.ranks_s[i]);
    }
  }
  std::vector<double> medians;
  for (const auto& one : seconds) medians.push_back(median(one));
  if (medians.empty()) return nullptr;
  return {std::ranges::min(medians), std::ranges::max(medians)};
}

// The rows of a record that says what its samples say; then an answer for each question.
void answer_questions(RecordFacts record, const Derived& derived) {
  check_said(record, derived);
  for (std::size_t i = 0; i < derived.results.size(); ++i) {
    Json& sides = record.rows.results[i]["sides"];
    for (std::size_t side = 0; side < sides.size(); ++side) {
      sides[side]["ranks_s"] = ranks_of_side(derived.results[i], static_cast<int>(side));
    }
  }
  print_rows(derived, record.rows.results, record.rows.counters);
  fmt::print("{{\"kind\":\"ready\"}}\n");
  const Ratios ratios(derived.results);
  for (std::string line; flush_output(), std::getline(std::cin, line);) {
    fmt::print("{}\n", ratios.answer(Json::parse(line)).dump());
  }
}

}  // namespace

RecordFacts read_facts(const std::string& path) {
  RecordFacts facts{path, read_record_part(path)};
  RecordPart& rows = facts.rows;
  if (rows.header.is_null()) reject("'{}' is empty: name a record", path);
  for (const Json& row : rows.results) {
    const Json id = row.at("id");
    try {
      facts.results.push_back(result_from(row, std::move(rows.samples[id.get<int>()])));
    } catch (const UsageError& error) {
      reject("'{}': result {}: {}", path, id.dump(), error.what());
    }
  }
  try {
    for (const Json& row : rows.limits) facts.limits.push_back(limit_from(row));
  } catch (const Json::exception& error) {
    reject("'{}': a limit is damaged ({}): measure again", path, error.what());
  }
  return facts;
}

void check_same_measurements(const std::vector<RecordFacts>& records) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    check_one_process(records[i]);
    const auto is = [&](const char* field, const RecordFacts& other) {
      return records[i].rows.header.value(field, Json()) == other.rows.header.value(field, Json());
    };
    for (std::size_t j = 0; j < i; ++j) {
      if (!is("date", records[j]) || !is("seed", records[j])) continue;
      reject("'{}' and '{}' are one process (same date and seed): give each once", records[j].path,
             records[i].path);
    }
  }
  for (std::size_t i = 1; i < records.size(); ++i) {
    check_headers(records[0], records[i]);
    if (!std::ranges::equal(records[0].limits, records[i].limits, {}, &Limit::name, &Limit::name)) {
      refuse(records[0], records[i], "they measured other limits");
    }
    check_results(records[0], records[i]);
  }
}

Derived derive(const std::vector<RecordFacts>& records, const std::string& command) {
  const RecordFacts& first = records.at(0);
  const bool several = records.size() > 1;
  Derived result;
  result.ended = first.rows.ended;
  result.header = several ? combined_header(records, command) : first.rows.header;
  for (std::size_t i = 0; i < first.limits.size(); ++i) {
    std::vector<double> values;
    for (const RecordFacts& record : records) values.push_back(record.limits[i].value);
    result.limits.push_back(several ? combined_limit(first.limits[i], values)
                                    : first.rows.limits[i]);
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (Json row : records[i].rows.failures) {
      if (several) row["process"] = i;
      result.failures.push_back(std::move(row));
    }
  }
  const std::map<std::string, Limit> limits = limits_from(result.limits);
  std::map<std::string, std::optional<Interval>> noise;
  std::vector<ByKey> of_records;
  for (const RecordFacts& record : records) {
    of_records.push_back(several ? by_key(record) : ByKey());
  }
  for (const Result& one : first.results) {
    std::vector<const Result*> all;
    for (const ByKey& results : of_records) {
      if (several) all.push_back(results.at(key_of(one)));
    }
    result.results.push_back(several ? combined_result(all) : one);
    conclude(result.results.back(), limits, noise[one.algorithm + ' ' + one.where()]);
  }
  return result;
}

Json google_benchmark(const Derived& derived) {
  const Json machine = derived.header.value("machine", Json::object());
  Json result{{"context",
               {{"date", derived.header.value("date", "")},
                {"host_name", machine.value("processor", "")},
                {"executable", "portcost"},
                {"num_cpus", machine.value("cores", 1)},
                {"mhz_per_cpu", 0},
                {"cpu_scaling_enabled", false},
                {"caches", Json::array()},
                {"load_avg", Json::array()},
                {"library_version", derived.header.value("version", "")},
                {"library_build_type", "release"}}},
              {"benchmarks", Json::array()}};
  std::set<std::string> seen;  // A variant has its time from its first row.
  for (const Result& r : derived.results) {
    if (!r.measured() || r.role == Role::null) continue;
    for (const SideResult& side : r.sides) {
      const std::string run = side.variant + ' ' + r.where();
      if (!seen.insert(run).second) continue;
      result["benchmarks"].push_back({{"name", run},
                                      {"family_index", seen.size() - 1},
                                      {"per_family_instance_index", 0},
                                      {"run_name", run},
                                      {"run_type", "iteration"},
                                      {"repetitions", 1},
                                      {"repetition_index", 0},
                                      {"threads", 1},
                                      {"iterations", r.measurement.blocks * r.measurement.batch},
                                      {"real_time", side.device_s.median * 1e9},
                                      {"cpu_time", side.wall_s.median * 1e9},
                                      {"time_unit", "ns"}});
    }
  }
  return result;
}

std::string p3_table(const Derived& derived) {
  const std::string platform = derived.header.at("machine").value("processor", "");
  std::string text = "problem,platform,application,fom\n";
  for (const Result& r : derived.results) {
    if (!r.measured() || r.role == Role::null || r.role == Role::solo) continue;
    for (const SideResult& side : r.sides) {
      text += fmt::format("{},{},{},{}\n",
                          csv_field(fmt::format("{}/{} {}", r.algorithm, r.step, r.where())),
                          csv_field(platform), csv_field(side.model), side.device_s.median);
    }
  }
  return text;
}

int derive(const DeriveOptions& options) {
  check_options(options);
  std::vector<RecordFacts> records;
  for (const std::string& path : options.records) records.push_back(read_facts(path));
  if (records.size() > 1) check_same_measurements(records);
  const Derived derived = derive(records, options.command);
  if (options.ask) {
    answer_questions(std::move(records[0]), derived);
    return 0;
  }
  if (options.format == "json") {
    std::vector<Json> results;
    for (const Result& result : derived.results) results.push_back(to_json(result));
    print_rows(derived, results);
  }
  if (options.format == "google-benchmark") fmt::print("{}\n", google_benchmark(derived).dump(1));
  if (options.format == "p3") fmt::print("{}", p3_table(derived));
  if (options.format.empty()) print_tables(derived);
  if (!options.out.empty()) write(derived, options);
  flush_output();
  const bool agree = std::ranges::all_of(
      derived.results, [](const Result& r) { return !r.fails() || !r.failed.empty(); });
  return outcome(agree, derived.failures);
}

}  // namespace portcost
