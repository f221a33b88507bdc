// SPDX-License-Identifier: Apache-2.0
#include "perf/command/parameter_sets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/support/error.hpp"

namespace portcost {

namespace {

struct Values {
  std::string key;
  std::vector<std::string> items;  // as typed, "key=value"
};

// The items of a text that parse_parameters took without an objection, in their order.
void add_items(std::string_view text, std::vector<Values>& given) {
  const auto trimmed = [](std::string_view part) {
    const auto first = part.find_first_not_of(" \t");
    return first == std::string_view::npos
               ? std::string()
               : std::string(part.substr(first, part.find_last_not_of(" \t") - first + 1));
  };
  while (!trimmed(text).empty()) {
    const auto comma = text.find(',');
    const std::string item = trimmed(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    std::string key = trimmed(std::string_view(item).substr(0, item.find('=')));
    const auto known =
        std::find_if(given.begin(), given.end(), [&](const Values& v) { return v.key == key; });
    if (known == given.end()) {
      given.push_back({std::move(key), {item}});
    } else {
      known->items.push_back(item);
    }
  }
}

}  // namespace

std::vector<Parameters> parse_parameter_sets(std::span<const std::string> texts,
                                             std::span<const ParameterKey> keys) {
  std::vector<Values> given;
  for (const std::string& text : texts) {
    parse_parameters(text, keys);  // for its refusals
    add_items(text, given);
  }
  std::vector<std::string> sets{""};
  for (const Values& values : given) {
    std::vector<std::string> longer;
    for (const std::string& set : sets) {
      for (const std::string& item : values.items) {
        longer.push_back(set.empty() ? item : set + "," + item);
      }
    }
    sets = std::move(longer);
  }
  std::vector<Parameters> result;
  for (const std::string& set : sets) {
    result.push_back(parse_parameters(set, keys));
    if (std::find(result.begin(), result.end() - 1, result.back()) != result.end() - 1) {
      throw UsageError(fmt::format("{}: a value is given twice", fmt::join(texts, " ")));
    }
  }
  return result;
}

}  // namespace portcost
