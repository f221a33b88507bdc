// SPDX-License-Identifier: Apache-2.0
#include "perf/command/resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "perf/command/input_files.hpp"
#include "src/contract/known_defect.hpp"
#include "src/support/error.hpp"
#include "variants/shared/kokkos_runtime.hpp"

namespace portcost {

namespace {

// The value of this name, whichever words the values have.
template <class Named>
Named named(const std::string& text) {
  for (int i = 0; name(static_cast<Named>(i)) != "?"; ++i) {
    if (name(static_cast<Named>(i)) == text) return static_cast<Named>(i);
  }
  throw UsageError(
      fmt::format("the record says '{}', which this version does not know: measure again", text));
}

Quartiles quartiles_from(const Json& row) {
  return {row.at("min"), row.at("q1"), row.at("median"), row.at("q3")};
}

// Both ends of an interval, where the row has them.
std::optional<Interval> interval_from(const Json& row, const std::string& low,
                                      const std::string& high) {
  if (!row.contains(low)) return std::nullopt;
  return Interval{row.at(low), row.at(high)};
}

Estimate ratio_from(const Json& row, const std::string& name) {
  Estimate result;
  result.value = row.at(name);
  result.units = row.at("units");
  result.unit = named<Unit>(row.at("unit"));
  if (result.decided()) result.interval = {row.at(name + "_low"), row.at(name + "_high")};
  return result;
}

Load load_from(const Json& row) {
  Load load;
  load.wall_s = row.at("wall_s");
  load.timed_s = row.at("timed_s");
  load.switches = row.at("switches");
  load.steal_s = row.at("steal_s");
  load.others_s = row.at("others_s");
  load.clock = row.value("clock", 1.0);
  return load;
}

SideResult side_of_row(const Json& row) {
  SideResult side;
  side.variant = row.at("variant");
  side.model = row.at("model").get_ref<const std::string&>();
  side.step = row.at("step").get_ref<const std::string&>();
  side.portable = row.value("portable", false);
  if (row.contains("device_s")) {
    side.first_run_s = row.at("first_run_s");
    side.device_s = quartiles_from(row.at("device_s"));
    side.wall_s = quartiles_from(row.at("wall_s"));
    side.limit_fraction = row.at("limit_fraction");
    side.limit_fraction_interval =
        interval_from(row, "limit_fraction_low", "limit_fraction_high").value_or(Interval{0, 0});
  }
  return side;
}

// Views of the group's own variant instead of views into the row.
void take_names(SideResult& side, const Group& group) {
  const auto found = std::find_if(
      group.variants.begin(), group.variants.end(),
      [&](const Variant* v) { return variant_name(*group.algorithm, *v) == side.variant; });
  if (found == group.variants.end()) {
    throw UsageError(
        fmt::format("the record to be resumed measured '{}', which is not measured here: measure "
                    "again",
                    side.variant));
  }
  side.model = name((*found)->model);
  side.step = (*found)->step;
}

void take_measurement(Result& result, const Json& row) {
  const Json& limit = row.at("limit");
  result.limit = limit_from(limit);
  result.floor_s = limit.at("floor_s");
  result.measurement.processes = row.value("processes", 1);
  result.measurement.allocations = row.at("allocations");
  result.measurement.blocks = row.at("blocks");
  result.measurement.dropped = row.at("dropped");
  result.measurement.stop = named<Stop>(row.at("stop"));
  result.measurement.batch = row.at("sides").at(0).value("batch", 1);
  result.measurement.load = load_from(row.at("load"));
  result.disturbed = row.value("disturbed", "");
  if (!row.contains("ratio")) return;
  result.ratio = ratio_from(row, "ratio");
  result.wall_ratio = ratio_from(row, "wall_ratio");
  result.noise = interval_from(row, "noise_low", "noise_high");
  result.undecided = row.value("undecided", "");
  if (row.contains("verdict")) result.verdict = named<Verdict>(row.at("verdict"));
}

bool is_of(const Json& row, const Group& group) {
  return row.at("algorithm") == group.algorithm->name &&
         row.at("size_text") == group.problem.size.text() &&
         row.at("type") == name(group.problem.type) && row.at("regime") == name(group.regime);
}

std::string words_of(const Json& header) {
  std::string text = "portcost bench";
  for (const Json& word : header.value("arguments", Json::array())) {
    text += ' ';
    text += word.get<std::string>();
  }
  return text;
}

}  // namespace

std::string difference(const Json& then, const Json& now, const std::string& in_then,
                       const std::string& in_now) {
  Json keys = then;
  keys.update(now);
  for (const auto& [key, unused] : keys.items()) {
    const Json a = then.value(key, Json()), b = now.value(key, Json());
    if (a != b) return fmt::format("{}: {} {}, {} {}", key, in_then, a.dump(), in_now, b.dump());
  }
  return {};
}

Limit limit_from(const Json& row) {
  return {row.at("name"), row.at("value"), row.at("unit"),
          interval_from(row, "low", "high").value_or(Interval{0, 0})};
}

const KnownDefect* defect_of_row(const Json& row, const Algorithm& algorithm,
                                 const Problem& problem) {
  if (!row.contains("known_defect")) return nullptr;
  const std::string wanted = row.at("sides").at(0).at("variant");
  for (const Variant& variant : algorithm.variants) {
    if (variant_name(algorithm, variant) == wanted)
      return known_defect(algorithm, variant, problem);
  }
  return nullptr;
}

Result result_of_row(const Json& row) {
  Result result;
  result.id = row.at("id");
  result.role = named<Role>(row.at("role"));
  result.step = row.at("step");
  for (const Json& side : row.at("sides")) result.sides.push_back(side_of_row(side));
  result.agrees = row.at("agrees");
  result.disagreement = row.value("disagreement", "");
  result.failed = row.value("failed", std::vector<std::string>());
  result.truth = row.value("truth", "");
  if (result.agrees) take_measurement(result, row);
  return result;
}

Result result_from(const Json& row, const Group& group) {
  try {
    Result result = result_of_row(row);
    result.algorithm = group.algorithm;
    result.problem = group.problem;
    result.regime = group.regime;
    for (SideResult& side : result.sides) take_names(side, group);
    result.defect = defect_of_row(row, *group.algorithm, group.problem);
    result.cost = cost_in(kokkos_place(), *group.algorithm, group.problem);
    return result;
  } catch (const Json::exception& error) {
    throw UsageError(
        fmt::format("result {} of the record to be resumed is damaged ({}): measure again",
                    row.value("id", Json()).dump(), error.what()));
  }
}

std::vector<std::string> measuring_words(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (name == "--out" || name == "--resume" || name == "--like" || name == "--patience" ||
        name == "--ranks") {
      if (name == words[i]) ++i;
    } else if (words[i] != "--force" && words[i] != "--no-supervisor") {
      kept.push_back(words[i]);
    }
  }
  return kept;
}

std::vector<std::string> arguments_of_record(const std::string& path) {
  const std::string name = record_name(path), part = name + ".part";
  const Json header = read_record_part(std::filesystem::exists(part) ? part : name).header;
  std::vector<std::string> words;
  if (!header.is_object()) return words;
  for (const Json& word : header.value("arguments", Json::array())) words.push_back(word);
  return words;
}

void check_not_combined(const Json& header, const std::string& path) {
  if (!header.is_object() || !header.contains("processes")) return;
  throw UsageError(
      fmt::format("'{}' is combined from {} processes and cannot be gone on with: go on with the "
                  "record of one process, and combine again",
                  path, header["processes"].size()));
}

void check_same_campaign(const Json& held, const Json& now, const std::string& path) {
  check_not_combined(held, path);
  const std::string then_words = words_of(held), now_words = words_of(now);
  if (then_words != now_words) {
    throw UsageError(fmt::format(
        "'{}' was measured by `{}`, and this is `{}`: give the same options, or --resume alone",
        path, then_words, now_words));
  }
  const std::string ranks =
      difference(held.value("ranks", Json::object()), now.value("ranks", Json::object()));
  if (!ranks.empty()) {
    throw UsageError(fmt::format(
        "'{}' was measured by other processes ({}): start as many in the same way, or measure "
        "again",
        path, ranks));
  }
  for (const char* part : {"machine", "build"}) {
    const std::string what = difference(held.value(part, Json::object()), now.at(part));
    if (!what.empty()) {
      throw UsageError(fmt::format(
          "'{}' was measured with another {} ({}): go on where it began, or measure again", path,
          part, what));
    }
  }
  if (const std::string what = other_files(held, now); !what.empty()) {
    throw UsageError(
        fmt::format("'{}' was measured with another file ({}): measure again", path, what));
  }
  if (held.value("like", Json()) != now.value("like", Json())) {
    throw UsageError(fmt::format(
        "'{}' was measured {}, and this is not: give the same --like", path,
        held.contains("like") ? "--like another record " + held["like"].dump() : "without --like"));
  }
  for (const char* name : {"version", "commit", "seed", "settings"}) {
    const Json then = held.value(name, Json());
    if (then != now.at(name)) {
      throw UsageError(
          fmt::format("'{}' was measured with another {} (then {}, now {}): measure again", path,
                      name, then.dump(), now.at(name).dump()));
    }
  }
}

FinishedResults::FinishedResults(const RecordPart& part)
    : limits_(part.limits), ended_(part.ended) {
  for (const Json& row : part.results) {
    const Json id = row.value("id", Json());
    if (!id.is_number_integer()) {
      throw UsageError("a result of the record to be resumed has no id: measure again");
    }
    results_[id.get<int>()] = row;
  }
}

std::optional<Limit> FinishedResults::limit(const std::string& name) const {
  for (const Json& row : limits_) {
    if (row.at("name") == name) return limit_from(row);
  }
  return std::nullopt;
}

std::vector<Result> FinishedResults::whole_group(const Group& group, int first_id) const {
  std::vector<Result> results;
  auto row = results_.find(first_id);
  for (int left = group.results(); left > 0 && row != results_.end() && is_of(row->second, group);
       --left, ++row) {
    results.push_back(result_from(row->second, group));
  }
  // Of the last group that was begun, rows may be missing.
  if (row == results_.end() && !ended_) results.clear();
  return results;
}

std::optional<Result> FinishedResults::result(const Group& group, const Result& planned) const {
  const auto row = results_.find(planned.id);
  if (row == results_.end()) return std::nullopt;
  Result held = result_from(row->second, group);
  bool same = is_of(row->second, group) && held.role == planned.role &&
              held.sides.size() == planned.sides.size();
  // Which variant is fastest, and so the noise floor's, was decided when the campaign began.
  const bool chosen = held.role == Role::null || held.role == Role::best;
  same = same && (chosen || held.step == planned.step);
  for (std::size_t i = 0; same && !chosen && i < held.sides.size(); ++i) {
    same = held.sides[i].variant == planned.sides[i].variant;
  }
  if (same) return held;
  throw UsageError(
      fmt::format("result {} of the record to be resumed is another measurement than "
                  "the one planned here: measure again",
                  planned.id));
}

}  // namespace portcost
