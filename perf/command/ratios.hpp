// SPDX-License-Identifier: Apache-2.0
// Products of times and ratios of a record's rows, for readers that compare variants which no row
// measured together, or two records.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "perf/command/result.hpp"

namespace portcost {

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
