// SPDX-License-Identifier: Apache-2.0
#include "src/contract/algorithm.hpp"

#include <fmt/format.h>

#include "src/support/error.hpp"

namespace portcost {

std::string variant_name(const Algorithm& algorithm, const Variant& variant) {
  const bool suffix = variant.model == Model::kokkos && variant.way != Way::tuned;
  return fmt::format("{}/{}/{}{}{}{}{}", algorithm.name, variant.step, name(variant.model),
                     suffix ? "." : "", suffix ? name(variant.way) : "",
                     variant.dials.empty() ? "" : ":", variant.dials);
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
