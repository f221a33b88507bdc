// SPDX-License-Identifier: Apache-2.0
// What follows from the facts of one record, or of the records of several processes together: every
// row by the same functions as while it is measured.
#pragma once

#include "perf/command/result.hpp"

namespace portcost {

/// A record's rows, and the facts that they state.
struct RecordFacts {
  std::string path;
  RecordPart rows;  // the samples are with the results
  std::vector<Limit> limits = {};
  std::vector<Result> results = {};  // without conclusions
};

/// Throws UsageError, in one line, when the record is damaged.
RecordFacts read_facts(const std::string& path);

/// Throws UsageError, in one line that names the difference, unless all records are complete, of
/// one process each and of the same campaign (arguments but for the seed, machine, build, commit),
/// and hold the same measurements, each once.
void check_same_measurements(const std::vector<RecordFacts>& records);

/// What is measured, whichever steps a noise floor or a best against best has: "pair heat2d/naive
/// nx=64,ny=48,steps=1 f32 cold".
std::string key_of(const Result& result);

/// The row of a limit of which each process measured a value: their geometric mean, Student's t.
Json combined_limit(Limit limit, const std::vector<double>& values);

struct Derived {
  Json header;  // of several records the first's, with the `processes` and the command that derived
  std::vector<Json> limits;  // rows; of several the geometric mean, Student's t over the processes
  std::vector<Json> failures;  // of several with the `process` of each, from 0
  std::vector<Result> results;
  bool ended = true;
};

/// Derives from one record, or from several that check_same_measurements() has let pass. `command`
/// goes into the header of several.
Derived derive(const std::vector<RecordFacts>& records, const std::string& command);

/// Throws UsageError, in one line that names the row, where a row of a record says another thing
/// than `derived`, which was derived from its samples, or where rows contradict each other.
void check_said(const RecordFacts& record, const Derived& derived);

/// The results in Google Benchmark's JSON, for tools that follow a benchmark from commit to commit:
/// a variant of a problem each, its median device time as `real_time` and its median wall time as
/// `cpu_time`, both in nanoseconds.
Json google_benchmark(const Derived& derived);
/// The results as p3-analysis reads them: a line of problem, platform, application and fom (the
/// median device time in seconds) for each side of each row with a Kokkos and a native side.
std::string p3_table(const Derived& derived);

class Ratios {
 public:
  explicit Ratios(const std::vector<Result>& results);

  /// A question has `terms`, which are multiplied: of each the `result` (its id) with the `side`
  /// whose time is meant (-1: the ratio), or the `estimate` of an earlier answer; `sign` -1
  /// divides. `runs` of them are ratios that have run_to_run in them (default 0). Beside `apart`
  /// (true), what differs from row to row is added for the results of the first two terms. With
  /// `noise`, a list of two numbers, the answer has a verdict. The answer: `value`, `units`; `low`
  /// and `high` where decided; `distance`, |log|, and the standard errors `seen` and `error` (with
  /// what no run sees); and `estimate`, for other questions. Throws Json::exception,
  /// std::out_of_range.
  Json answer(const Json& question) const;

 private:
  Estimate product_of(const Json& terms) const;
  Estimate estimate_of(const Json& term) const;
  Estimate with_rows(const Estimate& found, const Json& terms) const;

  // By how much the log time of one variant differs between rows.
  struct Spread {
    double squares = 0;
    int degrees = 0;
  };
  std::map<int, const Result*> results_;
  std::map<std::string, Spread> spreads_;  // by the unit of the rows; "": over all
};

}  // namespace portcost
