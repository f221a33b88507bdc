// SPDX-License-Identifier: Apache-2.0
#include "perf/command/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace portcost {

namespace {

bool same_variant(const Json& a, const Json& b) {
  const auto same = [&](const char* field) {
    return a.value(field, Json()) == b.value(field, Json());
  };
  return same("variant") && same("size_text") && same("parameters") && same("type") &&
         same("regime");
}

}  // namespace

Json failure_of(const Group& group, const Variant& variant) {
  const Problem& problem = group.problem;
  return {{"variant", variant_name(*group.algorithm, variant)},
          {"algorithm", group.algorithm->name},
          {"step", variant.step},
          {"model", name(variant.model)},
          {"size", to_json(problem.size)},
          {"size_text", problem.size.text()},
          {"parameters", to_json(problem.parameters)},
          {"parameters_text", changed(problem.parameters, group.algorithm->parameter_keys).text()},
          {"type", name(problem.type)},
          {"regime", name(group.regime)}};
}

std::string failure_text(const Json& row, bool with_problem) {
  const auto text = [&](const char* field) { return row.value(field, std::string("?")); };
  std::string problem, process;
  if (with_problem && row.contains("size_text")) {
    const std::string parameters = row.value("parameters_text", std::string());
    problem = fmt::format(" {}{}{} {}", text("size_text"), parameters.empty() ? "" : ",",
                          parameters, text("type"));
    if (row.contains("regime")) problem += " " + text("regime");
  }
  if (with_problem && row.contains("process")) {
    process = fmt::format("process {}: ", row["process"].get<int>() + 1);
  }
  return fmt::format("{}{}{} {}, {}", process, text("variant"), problem, text("what"),
                     text("when"));
}

Json row_of_limit(std::string_view limit) {
  return {{"variant", fmt::format("the limit '{}'", limit)}};
}

int outcome(bool agree, const std::vector<Json>& failures, const Ranks& ranks) {
  if (!agree && ranks.is_first()) {
    fmt::print(stderr, "portcost: some answers differ: no ratio is given for those pairs\n");
  }
  if (!failures.empty() && ranks.is_first()) {
    fmt::print(stderr, "portcost: {}: what needs it has failed, the rest is measured\n",
               joined(failures, "; ", [](const Json& row) { return failure_text(row, true); }));
  }
  return agree && failures.empty() ? 0 : 1;
}

FailedVariants failed_of(const std::vector<Json>& failures, const Group& group) {
  FailedVariants failed;
  for (const Variant* variant : group.variants) {
    const Json wanted = failure_of(group, *variant);
    for (const Json& row : failures) {
      if (same_variant(row, wanted)) failed[variant] = failure_text(row);
    }
  }
  return failed;
}

bool holds(const std::vector<Json>& failures, const Json& row) {
  return std::ranges::any_of(failures, [&](const Json& held) { return same_variant(held, row); });
}

const Variant* first_of(const FailedVariants& failed, const Group& group, bool (*wanted)(Model)) {
  const auto& all = group.variants;
  const auto found = std::ranges::find_if(all, [&](const Variant* variant) {
    return wanted(variant->model) && failed.contains(variant);
  });
  return found == all.end() ? nullptr : *found;
}

bool fail(Result& result, const std::vector<const Variant*>& sides, const FailedVariants& failed) {
  for (const auto& [variant, text] : failed) {
    const auto side = std::ranges::find(sides, variant);
    if (side == sides.end()) continue;
    result.failed.push_back(result.sides[side - sides.begin()].variant);
    result.disagreement += (result.disagreement.empty() ? "" : "; ") + text;
  }
  if (result.failed.empty()) return false;
  result.agrees = false;
  result.defect.reset();  // which is a wrong answer, and there is none
  return true;
}

}  // namespace portcost
