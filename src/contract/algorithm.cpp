// SPDX-License-Identifier: Apache-2.0
#include "src/contract/algorithm.hpp"

#include <fmt/format.h>

#include "src/support/error.hpp"

namespace portcost {

std::string way_suffix(const Variant& variant) {
  std::string result;
  if (variant.model == Model::kokkos && variant.way != Way::tuned) {
    result = fmt::format(".{}", name(variant.way));
  }
  if (!variant.dials.empty()) result += fmt::format(":{}", variant.dials);
  return result;
}

std::string variant_name(const Algorithm& algorithm, const Variant& variant) {
  return fmt::format("{}/{}/{}{}", algorithm.name, variant.step, name(variant.model),
                     way_suffix(variant));
}

std::string variant_name(const Algorithm& algorithm, const Absence& absence) {
  return fmt::format("{}/{}/{}", algorithm.name, absence.step, name(absence.model));
}

const Variant& reference_of(const Algorithm& algorithm, std::string_view step) {
  const Variant* first = nullptr;
  for (const Variant& variant : algorithm.variants) {
    if (variant.model != Model::reference) continue;
    if (variant.step == step) return variant;
    if (first == nullptr) first = &variant;
  }
  require(first != nullptr, fmt::format("{} has no reference", algorithm.name));
  return *first;
}

}  // namespace portcost
