// SPDX-License-Identifier: Apache-2.0
#include "variants/catalogue.hpp"

#include <algorithm>
#include <string>

#include "src/support/error.hpp"

namespace portcost {

const Algorithm* find_algorithm(std::string_view name) {
  const auto all = catalogue();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Algorithm* a) { return a->name == name; });
  return found == all.end() ? nullptr : *found;
}

const Algorithm& algorithm_called(std::string_view name) {
  const Algorithm* const found = find_algorithm(name);
  require(found != nullptr, "no algorithm is called " + std::string(name));
  return *found;
}

}  // namespace portcost
