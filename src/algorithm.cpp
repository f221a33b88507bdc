// SPDX-License-Identifier: Apache-2.0
#include "src/algorithm.hpp"

#include <fmt/format.h>

namespace portcost {

std::string variant_name(const Algorithm& algorithm, const Variant& variant) {
  return fmt::format("{}/{}/{}", algorithm.name, variant.step, name(variant.model));
}

}  // namespace portcost
