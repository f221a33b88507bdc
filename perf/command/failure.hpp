// SPDX-License-Identifier: Apache-2.0
// Variants that crashed or hung: their rows in a record, and what is left out because of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perf/command/campaign.hpp"

namespace portcost {

/// The fields of a "failure" row that say which variant of which problem: all but `what` and
/// `when`.
Json failure_of(const Group& group, const Variant& variant);

/// "sum/strided/kokkos crashed: SIGSEGV, in its first run"; with_problem also names, where the row
/// has them, size and type, regime and process.
std::string failure_text(const Json& row, bool with_problem = false);

/// Such fields of a limit that is measured.
Json row_of_limit(std::string_view limit);

/// The exit status of a campaign, and what rank 0 says of one that is not 0.
int outcome(bool agree, const std::vector<Json>& failures, const Ranks& ranks = alone());

/// The failures that a record holds.
class Failures {
 public:
  explicit Failures(std::vector<Json> rows) : rows_(std::move(rows)) {}

  FailedVariants of(const Group& group) const;
  bool holds(const Json& row) const;
  const std::vector<Json>& rows() const { return rows_; }

 private:
  std::vector<Json> rows_;
};

/// The first variant of the group that has failed and is of a wanted model; null where none is.
const Variant* first_of(const FailedVariants& failed, const Group& group, bool (*wanted)(Model));

/// Makes a result of sides that have failed one without answers. False when none of them has.
bool fail(Result& result, const std::vector<const Variant*>& sides, const FailedVariants& failed);

}  // namespace portcost
