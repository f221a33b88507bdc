// SPDX-License-Identifier: Apache-2.0
#include "perf/command/parameter_sets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/support/error.hpp"

namespace portcost {

namespace {

using Entries = std::vector<Parameters::Entry>;

// The values of each key that is given, in the order in which keys came first.
std::vector<Entries> values_by_key(std::span<const std::string> texts,
                                   std::span<const ParameterKey> keys) {
  std::vector<Entries> result;
  for (const std::string& text : texts) {
    for (const Parameters::Entry& entry : given_parameters(text, keys)) {
      const auto known = std::find_if(result.begin(), result.end(), [&](const Entries& values) {
        return values.front().first == entry.first;
      });
      if (known == result.end()) {
        result.push_back({entry});
      } else if (std::find(known->begin(), known->end(), entry) == known->end()) {
        known->push_back(entry);
      } else {
        throw UsageError(
            fmt::format("{} is given twice: once is enough", Parameters({entry}).text()));
      }
    }
  }
  return result;
}

Parameters with(const Parameters& parameters, const Parameters::Entry& entry) {
  Entries entries = parameters.entries();
  for (Parameters::Entry& one : entries) {
    if (one.first == entry.first) one.second = entry.second;
  }
  return Parameters(std::move(entries));
}

}  // namespace

std::vector<Parameters> parse_parameter_sets(std::span<const std::string> texts,
                                             std::span<const ParameterKey> keys) {
  std::vector<Parameters> sets{parse_parameters("", keys)};
  for (const Entries& values : values_by_key(texts, keys)) {
    std::vector<Parameters> longer;
    for (const Parameters& set : sets) {
      for (const Parameters::Entry& value : values) longer.push_back(with(set, value));
    }
    sets = std::move(longer);
  }
  return sets;
}

}  // namespace portcost
