// SPDX-License-Identifier: Apache-2.0
// Going on with an interrupted campaign: what its record holds is taken from there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/command/campaign.hpp"

namespace portcost {

/// A limit from its row.
Limit limit_from(const Json& row);

/// What a "result" row says by itself: everything but the algorithm, the problem, the regime and
/// the cost; of the measurement the counts alone, not the samples. The sides' models and steps are
/// views into `row`. Throws Json::exception or UsageError when the row is damaged.
Result result_of_row(const Json& row);

/// The known defect that the row shows, as this build lists it; null where it shows none.
const KnownDefect* defect_of_row(const Json& row, const Algorithm& algorithm,
                                 const Problem& problem);

/// A result from its "result" row, with everything that later rows, progress and tables need.
/// Throws UsageError when a side is no variant of the group.
Result result_from(const Json& row, const Group& group);

/// The words behind `portcost bench` that the record at `path` (or its part) was begun with.
std::vector<std::string> arguments_of_record(const std::string& path);
/// Of the words of a bench, which comes first, those that say what is measured, not where it is
/// written.
std::vector<std::string> measuring_words(const std::vector<std::string>& words);

/// Refuses (UsageError) to go on when the record at `path` was not measured by the same command,
/// on the same machine, with the same build; or is combined from several processes.
void check_same_campaign(const Json& held, const Json& now, const std::string& path);
void check_not_combined(const Json& header, const std::string& path);

/// The first field in which two objects differ, as "name: then X, now Y", where `in_then` and
/// `in_now` are the words for the two; empty when none does.
std::string difference(const Json& then, const Json& now, const std::string& in_then = "then",
                       const std::string& in_now = "now");

/// The results that an interrupted campaign has finished.
class FinishedResults {
 public:
  explicit FinishedResults(const RecordPart& part);

  bool holds(int id) const { return results_.contains(id); }
  std::optional<Limit> limit(const std::string& name) const;
  /// The group's results in order, the first with this id, when all of them are there; else none.
  std::vector<Result> whole_group(const Group& group, int first_id) const;
  /// The result that `planned` (its id, role, step, sides) would be measured for, if it is there.
  /// Throws UsageError when the record holds another under this id.
  std::optional<Result> result(const Group& group, const Result& planned) const;

 private:
  std::map<int, Json> results_;
  std::vector<Json> limits_;
  bool ended_;
};

}  // namespace portcost
