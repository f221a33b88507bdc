// SPDX-License-Identifier: Apache-2.0
#include "variants/divergence/problem.hpp"

namespace portcost::divergence {

Rungs reference_rungs() {
  const auto branches = [](const Work& s, const Stream&) {
    for (std::uint64_t i = 0; i < s.n; ++i) {
      float x = s.in[i];
      for (unsigned k = 0; k < most_trips * s.trip; ++k) {
        x = i % lanes < s.diverging ? else_stretch(x) : then_stretch(x);
      }
      s.out[i] = x;
    }
  };
  const auto loops = [](const Work& s, const Stream&) {
    for (std::uint64_t i = 0; i < s.n; ++i) {
      const unsigned trips = trips_of(static_cast<unsigned>(i % lanes));
      float x = s.in[i];
      for (unsigned k = 0; k < trips * s.trip; ++k) x = then_stretch(x);
      s.out[i] = x;
    }
  };
  return {rung(works, "uniform", branches), rung(works, "if_else", branches),
          rung(works, "loop_678", loops), rung(works, "loop_uniform", loops)};
}

}  // namespace portcost::divergence
