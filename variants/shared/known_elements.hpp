// SPDX-License-Identifier: Apache-2.0
// For checks that know some elements of an answer's only array.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/contract/truth.hpp"

namespace portcost {

/// The right value of element `at` of an array.
template <class T>
struct Known {
  std::uint64_t at;
  T value;
};

/// Compares an array of `count` elements of T with the known elements.
template <class T>
Judgement held_against(const std::vector<Known<T>>& known, std::string truth, const Array& array,
                       std::uint64_t count, const Instance& instance) {
  Judgement result{std::move(truth), shape_fault(array, element_type_of<T>, count)};
  if (!result.fault.empty()) return result;
  const Elements<T> elements(array, instance.stream());
  for (const auto& [at, value] : known) {
    const T found = elements[at];
    if (found == value) continue;  // NaN is not
    result.fault = wrong_element(array, at, fmt::format("{}", found), fmt::format("{}", value));
    break;
  }
  return result;
}

}  // namespace portcost
