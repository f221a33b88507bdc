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

/// Up to `most` drawn elements of `count`, with the values of(element).
template <class Of>
auto drawn_known(std::uint64_t count, std::size_t most, std::uint64_t seed, const Of& of) {
  std::vector<Known<std::invoke_result_t<Of, std::uint64_t>>> result;
  for (const std::uint64_t at : drawn(count, most, seed)) result.push_back({at, of(at)});
  return result;
}

/// Compares an array of `count` elements of T with the known elements.
template <class T>
Judgement held_against(const std::vector<Known<T>>& known, std::string truth, const Array& array,
                       std::uint64_t count, const Instance& instance) {
  std::string fault = shape_fault(array, element_type_of<T>, count);
  if (!fault.empty()) return {std::move(truth), std::move(fault)};
  const Elements<T> elements(array, instance.stream());
  for (const auto& [at, value] : known) {
    const T found = elements[at];
    if (found == value) continue;  // NaN is not
    return {std::move(truth),
            wrong_element(array, at, fmt::format("{}", found), fmt::format("{}", value))};
  }
  return {std::move(truth), {}};
}

}  // namespace portcost
