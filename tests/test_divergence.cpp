// SPDX-License-Identifier: Apache-2.0
// divergence's rule and shapes by hand.
#include "tests/support.hpp"
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

TEST_CASE("divergence shapes: 6, 7 and 8 trips; rows of one class, each once", "[divergence]") {
  CHECK(trips_of(0) == 6);
  CHECK(trips_of(1) == 7);
  CHECK(trips_of(2) == 8);
  CHECK(trips_of(30) == 6);
  CHECK(trips_of(31) == 7);
  std::set<unsigned> positions;

  for (unsigned slot = 0; slot < tile; ++slot) {
    CHECK(position_of<false>(slot) == slot);
    CHECK(position_of<true>(slot) % divergence::lanes == slot / divergence::lanes);
    positions.insert(position_of<true>(slot));
  }

  CHECK(positions.size() == tile);
  CHECK(*positions.rbegin() == tile - 1);
}

}  // namespace portcost::test::test_divergence
