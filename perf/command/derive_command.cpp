// SPDX-License-Identifier: Apache-2.0
// portcost derive: what follows from a record's facts, as tables, as a record, or for other tools.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "perf/command/commands.hpp"
#include "perf/command/derive.hpp"
#include "perf/command/facts.hpp"
#include "perf/command/failure.hpp"
#include "perf/command/text.hpp"
#include "src/record/record.hpp"
#include "src/support/error.hpp"

namespace portcost {

namespace {

void check_options(const DeriveOptions& options) {
  const auto formats = {"", "json", "google-benchmark", "p3"};
  if (std::ranges::find(formats, options.format) == formats.end()) {
    throw UsageError(
        fmt::format("--format {} is unknown: json, google-benchmark, p3, or none", options.format));
  }
  if (options.out.empty()) return;
  if (options.records.size() == 1) {
    throw UsageError("--out with one record alone: name two or more to be combined");
  }
  for (const std::string& path : options.records) {
    std::error_code ignored;
    if (path == options.out || std::filesystem::equivalent(path, options.out, ignored)) {
      throw UsageError(
          fmt::format("--out {} is one of the records to be combined: name another file", path));
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

bool same_table(const Result& a, const Result& b) {
  return a.algorithm == b.algorithm && a.problem_text() == b.problem_text() &&
         a.problem.type == b.problem.type && a.regime == b.regime;
}

void print_tables(const Derived& derived) {
  for (const Json& row : derived.limits) {
    const Limit limit = limit_from(row);
    fmt::print("{}: {}{}\n", limit.name, readable_limit(limit), readable_interval(limit));
  }
  const auto& results = derived.results;
  for (auto first = results.begin(); first != results.end();) {
    const auto last = std::find_if_not(first, results.end(),
                                       [&](const Result& r) { return same_table(*first, r); });
    fmt::print("{}", group_table({first, last}));
    first = last;
  }
}

void print_rows(const Derived& derived) {
  const auto print = [](const char* kind, const Json& fields) {
    Json row{{"kind", kind}};
    row.update(fields);
    fmt::print("{}\n", row.dump());
  };
  print("header", derived.header);
  for (const Json& row : derived.limits) print("limit", row);
  for (const Json& row : derived.failures) print("failure", row);
  for (const Result& result : derived.results) print("result", to_json(result));
  if (derived.ended) print("end", {{"results", derived.results.size()}});
}

}  // namespace

int derive(const DeriveOptions& options) {
  check_options(options);
  std::vector<RecordFacts> records;
  for (const std::string& path : options.records) records.push_back(read_facts(path));
  if (records.size() > 1) check_same_measurements(records);
  const Derived derived = derive(records, options.command);
  if (options.format == "json") print_rows(derived);
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
