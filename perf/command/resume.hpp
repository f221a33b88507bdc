// SPDX-License-Identifier: Apache-2.0
// Going on with an interrupted campaign: what its record holds is taken from there. And another
// process's choice of the fastest steps: they are decided again in each process, and measurements
// of different steps could not be combined.
#pragma once

#include "perf/command/campaign.hpp"

namespace portcost {

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
  /// Throws UsageError, in one line, when a row is damaged.
  explicit FinishedResults(const RecordPart& part);

  bool holds(int id) const { return results_.contains(id); }
  std::optional<Limit> limit(const std::string& name) const;
  /// The group's results in order, the first with this id, when all of them are there; else none.
  std::vector<Result> whole_group(const Group& group, int first_id) const;
  /// The result that `planned` (its id, role, step, sides) would be measured for, if it is there.
  /// Throws UsageError when the record holds another under this id.
  std::optional<Result> result(const Group& group, const Result& planned) const;

 private:
  std::map<int, Result> results_;  // without conclusions
  std::map<std::string, Limit> limits_;
  bool ended_;
};

/// One object a file that a parameter of the groups names: path (as given), bytes, sha256 (null
/// where it is not known, with the reason as sha256_missing). Null where there is no such file.
Json files_of(const std::vector<Group>& groups);

/// How the files of one header are others than those of another, in a few words; empty: they are
/// the same.
std::string other_files(const Json& header, const Json& other);

class LikeRecord {
 public:
  /// Throws UsageError when the record at `path` cannot be read or is not complete.
  explicit LikeRecord(const std::string& path);

  /// Throws UsageError, in one line, unless the record holds every group with the same variants. Of
  /// `full` campaigns hot groups may be missing: those whose work has no hot regime.
  void check(const std::vector<Group>& groups, bool full) const;
  /// What the record measured beyond the group's ladder. Throws UsageError when it lacks the group.
  Chosen choice(const Group& group) const;
  /// The limits that it was measured with.
  std::map<std::string, Limit> limits() const;
  /// What the header of the new record says of this one.
  Json identity() const;

 private:
  std::vector<const Json*> rows_of(const Group& group) const;
  const Variant* variant_of(const Group& group, const Json& side) const;

  std::string path_;
  RecordPart rows_;
};

}  // namespace portcost
