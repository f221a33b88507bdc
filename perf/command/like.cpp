// SPDX-License-Identifier: Apache-2.0
#include "perf/command/like.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "perf/command/facts.hpp"
#include "src/support/error.hpp"

namespace portcost {

namespace {

std::string title(const Group& group) {
  return fmt::format("{} {} {} {}", group.algorithm->name, group.problem.size.text(),
                     name(group.problem.type), name(group.regime));
}

bool is_of(const Json& row, const Group& group) {
  return row.at("algorithm") == group.algorithm->name &&
         row.at("size_text") == group.problem.size.text() &&
         row.at("parameters") == to_json(group.problem.parameters) &&
         row.at("type") == name(group.problem.type) && row.at("regime") == name(group.regime);
}

}  // namespace

LikeRecord::LikeRecord(const std::string& path) : path_(path) {
  RecordPart part = read_record_part(path);
  if (!part.ended) {
    throw UsageError(
        fmt::format("--like {}: the record has no end line: finish it first (portcost bench "
                    "--resume)",
                    path));
  }
  header_ = std::move(part.header);
  results_ = std::move(part.results);
  limits_ = std::move(part.limits);
}

Json LikeRecord::identity() const {
  return {{"date", header_.value("date", Json())}, {"seed", header_.value("seed", Json())}};
}

std::map<std::string, Limit> LikeRecord::limits() const { return limits_from(limits_); }

std::vector<const Json*> LikeRecord::rows_of(const Group& group) const {
  std::vector<const Json*> rows;
  try {
    for (const Json& row : results_) {
      if (is_of(row, group)) rows.push_back(&row);
    }
  } catch (const Json::exception& error) {
    throw UsageError(fmt::format("--like {}: a result is damaged ({}): name another record", path_,
                                 error.what()));
  }
  return rows;
}

const Variant* LikeRecord::variant_of(const Group& group, const Json& side) const {
  const Json wanted = side.value("variant", Json());
  for (const Variant* variant : group.variants) {
    if (wanted == variant_name(*group.algorithm, *variant)) return variant;
  }
  throw UsageError(
      fmt::format("--like {}: its {} has {}, which is not measured here: give the "
                  "filter of then",
                  path_, title(group), wanted.dump()));
}

void LikeRecord::check(const std::vector<Group>& groups, bool full) const {
  for (const Group& group : groups) {
    const bool may_be_missing = full && group.regime == Regime::hot;
    if (may_be_missing && rows_of(group).empty()) continue;
    choice(group);
    std::set<const Variant*> theirs;
    for (const Json* row : rows_of(group)) {
      for (const Json& side : row->at("sides")) theirs.insert(variant_of(group, side));
    }
    for (const Variant* variant : group.variants) {
      if (theirs.contains(variant)) continue;
      throw UsageError(fmt::format("--like {}: its {} lacks {}: give the filter of then", path_,
                                   title(group), variant_name(*group.algorithm, *variant)));
    }
  }
}

Chosen LikeRecord::choice(const Group& group) const {
  const auto rows = rows_of(group);
  if (rows.empty()) {
    throw UsageError(
        fmt::format("--like {}: it has not measured {}: name a record of the same campaign", path_,
                    title(group)));
  }
  Chosen chosen;
  for (const Json* row : rows) {
    const Json& sides = row->at("sides");
    if (row->at("role") == name(Role::null)) chosen.null = variant_of(group, sides.at(0));
    if (row->at("role") != name(Role::best)) continue;
    chosen.kokkos = variant_of(group, sides.at(0));
    chosen.native = variant_of(group, sides.at(1));
  }
  return chosen;
}

}  // namespace portcost
