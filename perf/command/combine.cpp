// SPDX-License-Identifier: Apache-2.0
// portcost combine: the records of several processes as one record and its tables.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "perf/command/combining.hpp"
#include "perf/command/commands.hpp"
#include "perf/command/failure.hpp"
#include "perf/command/text.hpp"
#include "src/support/error.hpp"

namespace portcost {

namespace {

void check_out(const CombineOptions& options) {
  if (options.out.empty()) throw UsageError("--out is empty: name a file that ends in .jsonl");
  for (const std::string& path : options.records) {
    std::error_code ignored;
    if (path == options.out || std::filesystem::equivalent(path, options.out, ignored)) {
      throw UsageError(
          fmt::format("--out {} is one of the records to be combined: name another file", path));
    }
  }
}

void write(const CombinedRecord& combined, const CombineOptions& options) {
  RecordWriter writer(options.out, {false, options.replace});
  writer.write("header", combined.header);
  for (const CombinedLimit& limit : combined.limits) writer.write("limit", to_json(limit));
  for (const Json& row : combined.failures) writer.write("failure", row);
  const std::string platform = combined.header.at("machine").at("processor");
  for (const Result& result : combined.results) {
    writer.write_result(to_json(result),
                        result.agrees ? samples_to_json(result, platform) : std::vector<Json>(),
                        result.agrees ? ranks_to_json(result) : std::vector<Json>());
  }
  writer.finish();
  fmt::print("\nrecord: {} and {}\n", writer.path(), writer.csv_path());
}

bool same_table(const Result& a, const Result& b) {
  return a.algorithm == b.algorithm && a.problem_text() == b.problem_text() &&
         a.problem.type == b.problem.type && a.regime == b.regime;
}

void print_tables(const std::vector<Result>& results) {
  for (auto first = results.begin(); first != results.end();) {
    const auto last = std::find_if_not(first, results.end(),
                                       [&](const Result& r) { return same_table(*first, r); });
    fmt::print("{}", group_table({first, last}));
    first = last;
  }
}

}  // namespace

int combine(const CombineOptions& options) {
  check_out(options);
  std::vector<ProcessRecord> records;
  for (const std::string& path : options.records) records.push_back(read_process(path));
  check_same_measurements(records);
  const CombinedRecord combined = combine_records(records, options.command);
  for (const CombinedLimit& limit : combined.limits) {
    fmt::print("{}: {}{}\n", limit.limit.name, readable_limit(limit.limit),
               readable_interval(limit.limit));
  }
  print_tables(combined.results);
  write(combined, options);
  flush_output();
  const bool agree = std::all_of(combined.results.begin(), combined.results.end(),
                                 [](const Result& r) { return !r.fails() || !r.failed.empty(); });
  return outcome(agree, combined.failures);
}

}  // namespace portcost
