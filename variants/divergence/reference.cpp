// SPDX-License-Identifier: Apache-2.0
#include "variants/divergence/problem.hpp"

namespace portcost::divergence {

Rungs reference_rungs() {
  const auto answer = [](std::string_view step, bool loops) {
    return rung(works, step, [=](const Work& s, const Stream&) {
      for (std::uint64_t i = 0; i < s.n; ++i) {
        const auto lane = static_cast<unsigned>(i % lanes);
        float x = s.in[i];
        for (unsigned k = 0; k < (loops ? trips_of(lane) : most_trips) * s.trip; ++k) {
          x = !loops && lane < s.diverging ? else_stretch(x) : then_stretch(x);
        }
        s.out[i] = x;
      }
    });
  };
  return {answer("uniform", false), answer("if_else", false), answer("loop_678", true),
          answer("loop_uniform", true)};
}

}  // namespace portcost::divergence
