// SPDX-License-Identifier: Apache-2.0
#include "perf/command/resume.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "src/support/file_digest.hpp"

namespace portcost {

namespace {

bool is_of(const Result& result, const Group& group) {
  return result.algorithm == group.algorithm->name &&
         result.problem.size.text() == group.problem.size.text() &&
         result.problem.type == group.problem.type && result.regime == group.regime;
}

std::vector<std::string> arguments_of(const Json& header) {
  if (!header.is_object()) return {};
  return header.value("arguments", std::vector<std::string>());
}

std::string words_of(const Json& header) {
  std::vector<std::string> words{"portcost", "bench"};
  for (const std::string& word : arguments_of(header)) words.push_back(word);
  return joined(words, " ");
}

std::string text_of(const Json& file) {
  const std::string sum = file.at("sha256").is_string()
                              ? "SHA-256 " + file["sha256"].get<std::string>()
                              : "SHA-256 unknown";
  return fmt::format("{} of {} bytes, {}", file.at("path").get<std::string>(),
                     file.at("bytes").get<std::uint64_t>(), sum);
}

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
  return arguments_of(read_record_part(std::filesystem::exists(part) ? part : name).header);
}

void check_not_combined(const Json& header, const std::string& path) {
  if (!header.is_object() || !header.contains("processes")) return;
  reject(
      "'{}' is combined from {} processes and cannot be gone on with: go on with the "
      "record of one process, and combine again",
      path, header["processes"].size());
}

void check_same_campaign(const Json& held, const Json& now, const std::string& path) {
  check_not_combined(held, path);
  const std::string then_words = words_of(held), now_words = words_of(now);
  if (then_words != now_words) {
    reject("'{}' was measured by `{}`, and this is `{}`: give the same options, or --resume alone",
           path, then_words, now_words);
  }
  struct Part {
    const char *name, *words, *remedy;
  };
  constexpr const char* where = "go on where it began";
  for (const auto& [name, words, remedy] :
       {Part{"ranks", "by other processes", "start as many in the same way"},
        {"machine", "with another machine", where},
        {"build", "with another build", where}}) {
    const std::string what =
        difference(held.value(name, Json::object()), now.value(name, Json::object()));
    if (what.empty()) continue;
    reject("'{}' was measured {} ({}): {}, or measure again", path, words, what, remedy);
  }
  if (const std::string what = other_files(held, now); !what.empty()) {
    reject("'{}' was measured with another file ({}): measure again", path, what);
  }
  if (held.value("like", Json()) != now.value("like", Json())) {
    reject(
        "'{}' was measured {}, and this is not: give the same --like", path,
        held.contains("like") ? "--like another record " + held["like"].dump() : "without --like");
  }
  for (const char* name : {"version", "commit", "seed", "settings"}) {
    const Json then = held.value(name, Json());
    if (then != now.at(name)) {
      reject("'{}' was measured with another {} (then {}, now {}): measure again", path, name,
             then.dump(), now.at(name).dump());
    }
  }
}

FinishedResults::FinishedResults(const RecordPart& part)
    : limits_(limits_from(part.limits)), ended_(part.ended) {
  for (const Json& row : part.results) {
    const int id = row.at("id");
    try {
      results_[id] = result_from(row, part.samples.at(id));
    } catch (const UsageError& error) {
      reject("result {} of the record to be resumed: {}", id, error.what());
    }
  }
}

std::optional<Limit> FinishedResults::limit(const std::string& name) const {
  const auto found = limits_.find(name);
  return found == limits_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Result> FinishedResults::whole_group(const Group& group, int first_id) const {
  std::vector<Result> results;
  std::optional<Interval> noise;
  auto held = results_.find(first_id);
  for (int left = group.results(); left > 0 && held != results_.end() && is_of(held->second, group);
       --left, ++held) {
    results.push_back(held->second);
    conclude(results.back(), limits_, noise);
  }
  // Of the last group that was begun, rows may be missing.
  if (held == results_.end() && !ended_) results.clear();
  return results;
}

std::optional<Result> FinishedResults::result(const Group& group, const Result& planned) const {
  const auto found = results_.find(planned.id);
  if (found == results_.end()) return std::nullopt;
  Result held = found->second;
  bool same = is_of(held, group) && held.role == planned.role;
  // Which variant is fastest, and so the noise floor's, was decided when the campaign began.
  const bool chosen = held.role == Role::null || held.role == Role::best;
  same = same && (chosen || held.step == planned.step);
  for (std::size_t i = 0; same && !chosen && i < held.sides.size(); ++i) {
    same = held.sides[i].variant == planned.sides[i].variant;
  }
  if (!same) {
    reject(
        "result {} of the record to be resumed is another measurement than "
        "the one planned here: measure again",
        planned.id);
  }
  std::optional<Interval> noise = planned.noise;
  conclude(held, limits_, noise);
  return held;
}

Json files_of(const std::vector<Group>& groups) {
  std::set<std::string> paths;
  for (const Group& group : groups) {
    for (const ParameterKey& key : group.algorithm->parameter_keys) {
      if (key.kind != ParameterKey::Kind::path) continue;
      const std::string& path = group.problem.parameters.text_of(key.key);
      if (!path.empty()) paths.insert(path);
    }
  }
  Json files;
  for (const std::string& path : paths) {
    const FileDigest digest = digest_of(path);
    Json file{{"path", path}, {"bytes", digest.bytes}, {"sha256", digest.sha256}};
    if (digest.sha256.empty()) {
      file["sha256"] = nullptr;
      file["sha256_missing"] = digest.why_not;
    }
    files.push_back(std::move(file));
  }
  return files;
}

std::string other_files(const Json& header, const Json& other) {
  const Json here = header.value("files", Json::array()),
             there = other.value("files", Json::array());
  for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i) {
    if (i < here.size() && i < there.size() && here[i] == there[i]) continue;
    return fmt::format("{} and not {}", i < here.size() ? text_of(here[i]) : "none",
                       i < there.size() ? text_of(there[i]) : "none");
  }
  return {};
}

LikeRecord::LikeRecord(const std::string& path) : path_(path), rows_(read_record_part(path)) {
  if (rows_.ended) return;
  reject(
      "--like {}: the record has no end line: finish it first (portcost bench "
      "--resume)",
      path);
}

Json LikeRecord::identity() const {
  return {{"date", rows_.header.value("date", Json())},
          {"seed", rows_.header.value("seed", Json())}};
}

std::map<std::string, Limit> LikeRecord::limits() const { return limits_from(rows_.limits); }

std::vector<const Json*> LikeRecord::rows_of(const Group& group) const {
  std::vector<const Json*> rows;
  try {
    for (const Json& row : rows_.results) {
      if (is_of(row, group)) rows.push_back(&row);
    }
  } catch (const Json::exception& error) {
    reject("--like {}: a result is damaged ({}): name another record", path_, error.what());
  }
  return rows;
}

const Variant* LikeRecord::variant_of(const Group& group, const Json& side) const {
  const Json wanted = side.value("variant", Json());
  for (const Variant* variant : group.variants) {
    if (wanted == variant_name(*group.algorithm, *variant)) return variant;
  }
  reject(
      "--like {}: its {} has {}, which is not measured here: give the "
      "filter of then",
      path_, title(group), wanted.dump());
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
      reject("--like {}: its {} lacks {}: give the filter of then", path_, title(group),
             variant_name(*group.algorithm, *variant));
    }
  }
}

Chosen LikeRecord::choice(const Group& group) const {
  const auto rows = rows_of(group);
  if (rows.empty()) {
    reject("--like {}: it has not measured {}: name a record of the same campaign", path_,
           title(group));
  }
  Chosen chosen;
  for (const Json* row : rows) {
    const Json& sides = row->at("sides");
    if (row->at("role") == name(Role::null)) chosen.null = variant_of(group, sides.at(0));
    if (row->at("role") != name(Role::best)) continue;
    chosen.kokkos.push_back(variant_of(group, sides.at(0)));
    chosen.native = variant_of(group, sides.at(1));
  }
  return chosen;
}

}  // namespace portcost
