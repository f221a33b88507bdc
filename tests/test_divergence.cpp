// SPDX-License-Identifier: Apache-2.0
// divergence's rule and shapes by hand, and its variants on numbers whose fate is known.
#include "tests/launches.hpp"
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

// Twelve hundred equal numbers: the result of each shows its branch or its trips.
TEST_CASE_IN_PLACES("divergence: {} lanes take their branch and trips", "[divergence][kokkos]") {
  Stream& stream = shared_stream(place);
  const std::vector<float> in(1200, 0.25f);
  Buffer<float> from(in.size(), place), to(in.size(), place);
  from.upload(in, stream);
  for (const unsigned diverging : {0u, 1u, 16u, 31u, 32u}) {
    for (const auto& [name, launch] : launches<Work>("divergence", place)) {
      const bool loop = mentions(name, "loop");
      CAPTURE(name, diverging);
      to.poison(stream);
      launch({from.data(), to.data(), in.size(), diverging, 1}, stream);
      const std::vector<float> out = to.download(stream);
      int wrong = 0;
      for (unsigned i = 0; i < in.size(); ++i) {
        const unsigned lane = i % divergence::lanes, times = loop ? 6 + lane % 3 : 8;
        float wanted = in[i];
        for (unsigned k = 0; k < times; ++k) {
          wanted = !loop && lane < diverging ? else_stretch(wanted) : then_stretch(wanted);
        }
        wrong += out[i] != wanted;
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace portcost::test::test_divergence
