// SPDX-License-Identifier: Apache-2.0
// What measuring one pair, or one variant alone, gives; and its form in a record.
#pragma once

#include "src/machine/limits.hpp"
#include "src/record/record.hpp"
#include "src/support/reject.hpp"

namespace portcost {

/// pair: kokkos against native, same step. best: best kokkos against best native. solo: a variant
/// without a twin. null: a variant against itself, the noise floor.
enum class Role { pair, best, solo, null };
constexpr std::string_view name(Role role) {
  constexpr std::array<std::string_view, 4> names{"pair", "best", "solo", "null"};
  return names.at(static_cast<std::size_t>(role));
}

struct SideResult {
  std::string variant, model, step;
  double first_run_s = 0;
  Quartiles device_s, wall_s;
  double limit_fraction = 0;               // the limit's floor over the median device time
  Interval limit_fraction_interval{0, 0};  // 95 %, from those of the limit and of the time
  bool portable = false;                   // of a peer: written in Kokkos
};

/// Facts first, then what conclude() makes of them. A Result has the algorithm's name, not a
/// pointer into the catalogue, so that records of other builds can be read.
struct Result {
  int id = 0;
  Role role = Role::solo;
  std::string algorithm, step;
  Problem problem;
  std::string parameters_text;  // those that are not as their default: "skew=heavy"
  std::string agreement;        // the algorithm's rule
  bool own_answer = false;      // the step's, unlike the algorithm's other steps'
  Regime regime = Regime::cold;
  std::vector<SideResult> sides;  // of a pair: kokkos, then native
  bool agrees = true;
  std::string disagreement;
  std::vector<std::string> failed;   // sides that crashed or hung, here or before: no answers
  std::optional<DefectText> defect;  // listed for the peer here; it shows where !agrees
  std::string truth;                 // what the answers were compared with, besides each other
  Cost cost;
  Measurement measurement;
  std::string disturbed;  // what others did to the machine meanwhile; empty on a quiet one

  Limit limit;
  double floor_s = 0;                          // the least time the limit allows
  std::map<std::string, double> other_floors;  // the least times of the other limits
  Estimate ratio, wall_ratio;                  // sides[0] / sides[1]
  std::optional<Interval> noise;               // the noise floor; none where it was not decided
  Verdict verdict = Verdict::unclear;
  std::string undecided;    // why there is no verdict; empty where there is one
  std::string launch_gaps;  // which sides' device times hold the gaps between launches

  /// Size and parameters that are not as their default: "n=4096,bins=256,skew=heavy".
  std::string problem_text() const;
  /// The same with type and regime: "n=4096,bins=256,skew=heavy f32 cold". All results of an
  /// algorithm there share a table and a noise floor.
  std::string where() const;
  bool paired() const { return sides.size() == 2; }
  /// False when answers differ or every block was dropped: then there are no times and no ratio.
  bool measured() const { return agrees && measurement.blocks > 0; }
  /// A wrong answer that is no known defect: the campaign has failed.
  bool fails() const { return !agrees && !defect; }
  /// Of a null: A against A differs by more than chance.
  bool excludes_one() const { return ratio.decided() && !ratio.interval.contains(1); }
};

/// The least time that the limits allow for this work. `limit` is that of the longest amount of the
/// slowest path; its value is this amount divided by the whole path's time. Amounts whose limit is
/// not known ask for nothing.
struct Floor {
  double seconds = 0;
  Limit limit;
  /// The least time of each other limit alone: of memory where arithmetic binds, and so on.
  std::map<std::string, double> others;
};
Floor floor_of(const Cost& cost, const std::map<std::string, Limit>& limits);

/// Fills in what follows from the measurement, the noise floor and the limit.
void conclude(Result& result);
/// The same where it is known already what `disturbed` the measurement.
void conclude(Result& result, const std::string& disturbed);

/// The "limit" row; the "result" row and the "sample" rows of a record; their fields are listed in
/// perf/record.md.
Json to_json(const Size& size);
Json to_json(const Parameters& parameters);
Json to_json(const Limit& limit);
Json to_json(const Result& result);
std::vector<Json> samples_to_json(const Result& result, const std::string& platform);
/// The "ranks" rows: of each sample the seconds of each rank. None of work of one process.
std::vector<Json> ranks_to_json(const Result& result);

struct Answered {
  const Variant* variant = nullptr;
  Answer answer;
};

struct Finding {
  std::string truth;         // what the answers were compared with, besides each other
  std::string disagreement;  // one line; empty when all is right
};

/// Compares every answer with the first by the algorithm's rule, then holds the first against the
/// truth; where two differ, says of each whether it is wrong. Of several ranks the answers are rank
/// 0's, and all get its finding. Collective.
Finding judge_answers(const Algorithm& algorithm, const Problem& problem,
                      const std::vector<Answered>& answers, const Instance& instance);

// Records' rows as results: what was measured. What follows from it, conclude() makes anew,
// whatever the row says.

Limit limit_from(const Json& row);
/// All by their names.
std::map<std::string, Limit> limits_from(const std::vector<Json>& rows);

/// A result from its row and samples, without conclusions. Throws UsageError, in one line without
/// the record's name, when a field is missing, is of another type or unknown, or when a sample does
/// not fit.
Result result_from(const Json& row, std::vector<Sample> samples);

/// Concludes from the limits of its record and the noise floor of its problem, which a null sets.
void conclude(Result& result, const std::map<std::string, Limit>& limits,
              std::optional<Interval>& noise);

// What people read on a terminal (text.cpp): at most 100 columns, plain text.

/// "412 us", "61.3 us", "2.04 s": three digits that matter.
std::string readable_time(double seconds);
/// "4290 GB/s", "33.1 TFLOP/s", "6.7 us".
std::string readable_limit(const Limit& limit);
/// " [4230, 4246]" in the unit of readable_limit; empty where the interval is not known.
std::string readable_interval(const Limit& limit);

/// One line a result as it becomes ready, after a counter "[ 3/40]".
std::string progress_line(const Result& result, int done, int all);

/// The table of one group's results (same algorithm, size, type and regime), in the order measured.
std::string group_table(const std::vector<Result>& results);

}  // namespace portcost
