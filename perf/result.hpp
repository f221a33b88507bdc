// SPDX-License-Identifier: Apache-2.0
// What measuring one pair, or one variant alone, gives; and its form in a record.
#pragma once

#include <string>
#include <vector>

#include "src/algorithm.hpp"
#include "src/limits.hpp"
#include "src/paired_sampler.hpp"
#include "src/record.hpp"
#include "src/statistics.hpp"

namespace portcost {

/// pair: kokkos against native, same step. best: best kokkos against best native. solo: a variant
/// without a twin. null: a variant against itself, the noise floor.
enum class Role { pair, best, solo, null };
std::string_view name(Role role);

struct SideResult {
  std::string variant;
  std::string_view model, step;
  double first_run_s = 0;
  Quartiles device_s, wall_s;
  double limit_fraction = 0;  // the limit's floor over the median device time
};

struct Result {
  int id = 0;
  Role role = Role::solo;
  const Algorithm* algorithm = nullptr;
  std::string step;
  Problem problem;
  Regime regime = Regime::cold;
  std::vector<SideResult> sides;  // of a pair: kokkos, then native
  bool agrees = true;
  std::string disagreement;
  std::string truth;        // what the answers were held against, besides each other
  Ratio ratio, wall_ratio;  // sides[0] / sides[1]
  Interval noise{1, 1};
  Verdict verdict = Verdict::unclear;
  Limit limit;
  Cost cost;
  double floor_s = 0;  // the least time the limit allows
  Measurement measurement;

  /// Parameters that are not as their default: "skew=1", else empty.
  std::string parameters_text() const;
  /// The size, and those: "n=4096,bins=256,skew=1".
  std::string problem_text() const;
  bool paired() const { return sides.size() == 2; }
  /// False when answers differ or every block was dropped: then there are no times and no ratio.
  bool measured() const { return agrees && measurement.blocks > 0; }
};

/// The "result" row and the "sample" rows of a record; their fields are listed in perf/README.md.
Json to_json(const Result& result);
std::vector<Json> samples_to_json(const Result& result, const std::string& platform);

}  // namespace portcost
