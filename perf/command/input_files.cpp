// SPDX-License-Identifier: Apache-2.0
#include "perf/command/input_files.hpp"

#include <fmt/format.h>

#include <set>

#include "src/support/file_digest.hpp"

namespace portcost {

namespace {

std::string text_of(const Json& file) {
  const std::string sum = file.at("sha256").is_string()
                              ? "SHA-256 " + file["sha256"].get<std::string>()
                              : "SHA-256 unknown";
  return fmt::format("{} of {} bytes, {}", file.at("path").get<std::string>(),
                     file.at("bytes").get<std::uint64_t>(), sum);
}

}  // namespace

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

}  // namespace portcost
