// SPDX-License-Identifier: Apache-2.0
// Another process's choice of the fastest steps. Which steps are fastest is decided again in each
// process; measurements of different steps could not be combined.
#pragma once

#include <string>
#include <vector>

#include "perf/command/campaign.hpp"

namespace portcost {

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
  Json header_;
  std::vector<Json> limits_, results_;
};

}  // namespace portcost
