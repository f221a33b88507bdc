// SPDX-License-Identifier: Apache-2.0
// The catalogue of the command portcost_made_up_ranks.

#include "tests/ranks/rings.hpp"
#include "variants/catalogue.hpp"

namespace portcost {

std::span<const Algorithm* const> catalogue() {
  static const Algorithm algorithm = test::rings();
  static const std::array<const Algorithm*, 1> rows{&algorithm};
  return rows;
}

std::span<const LeftOut> left_out() { return {}; }

}  // namespace portcost
