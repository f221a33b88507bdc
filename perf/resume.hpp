// SPDX-License-Identifier: Apache-2.0
// Going on with an interrupted campaign: what its record holds is taken from there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/campaign.hpp"

namespace portcost {

/// A limit from its row.
Limit limit_from(const Json& row);

/// A result from its "result" row, with everything that later rows, progress and tables need; of
/// its measurement the counts alone, not the samples. Throws UsageError when a side is no variant
/// of the group.
Result result_from(const Json& row, const Group& group);

/// The words behind `portcost bench` that the record at `path` (or its part) was begun with.
std::vector<std::string> arguments_of_record(const std::string& path);

/// Refuses (UsageError) to go on when the record at `path` was not measured by the same command,
/// on the same machine, with the same build.
void check_same_campaign(const Json& held, const Json& now, const std::string& path);

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
