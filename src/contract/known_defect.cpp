// SPDX-License-Identifier: Apache-2.0
#include "src/contract/known_defect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "src/machine/machine.hpp"

namespace portcost {

namespace {

using Version = std::array<int, 3>;

// "4.6.01" as numbers; what is not given is 0. None for other texts, such as "none".
std::optional<Version> version_of(std::string_view text) {
  Version version{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int& part : version) {
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc()) return std::nullopt;
    if (next == end) return version;
    if (*next != '.') return std::nullopt;
    at = next + 1;
  }
  return version;  // a fourth number is of no use here
}

}  // namespace

bool version_within(std::string_view version, std::string_view first, std::string_view last) {
  const auto it = version_of(version), low = version_of(first), high = version_of(last);
  return it && low && high && *low <= *it && *it <= *high;
}

const KnownDefect* known_defect(const Algorithm& algorithm, const Variant& variant,
                                const Problem& problem) {
  if (variant.model != Model::library) return nullptr;
  const auto found = std::find_if(
      algorithm.known_defects.begin(), algorithm.known_defects.end(), [&](const KnownDefect& d) {
        return d.step == variant.step && d.place == variant.place && d.concerns(problem) &&
               version_within(describe_build().value(std::string(d.library), ""), d.first_version,
                              d.last_version);
      });
  return found == algorithm.known_defects.end() ? nullptr : &*found;
}

DefectText texts_of(const KnownDefect& defect) {
  return {std::string(defect.what), std::string(defect.reason), std::string(defect.reproducer)};
}

std::string text_of(const DefectText& defect) {
  return fmt::format("{}. Reason: {}. Reproducer: {}", defect.what, defect.reason,
                     defect.reproducer);
}

std::string not_seen(const DefectText& defect) {
  return fmt::format("listed defect not seen: remove it? ({})", defect.what);
}

}  // namespace portcost
