// SPDX-License-Identifier: Apache-2.0
// divergence's rule and shapes by hand.
#include "tests/matrix_checks.hpp"
#include "variants/divergence/problem.hpp"

namespace portcost::test::test_divergence {

using namespace divergence;

TEST_CASE("divergence rule: branches differ, mirror each other, and stay bounded", "[divergence]") {
  float x = 0.25f, y = 0.25f;
  std::set<float> seen;

  for (int k = 0; k < 64; ++k) {
    x = then_stretch(x);
    y = else_stretch(y);
    CHECK(x != y);
    CHECK((x >= -height && x <= height && y >= -height && y <= height));
    seen.insert(x);
  }

  CHECK(seen.size() == 64);  // never settles, so that every trip shows
  CHECK(else_stretch(-0.25f) == -then_stretch(0.25f));
}

}  // namespace portcost::test::test_divergence
