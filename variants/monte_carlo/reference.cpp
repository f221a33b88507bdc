// SPDX-License-Identifier: Apache-2.0
#include "variants/monte_carlo/problem.hpp"

namespace portcost::monte_carlo {

Rungs reference_rungs() {
  return {rung(works, "one_pair", []<class T>(const Drawing<T>& s, const Stream&) {
    std::uint64_t hits = hits_of<T>(philox(s.calls(), s.seed), s.rest());
    for (std::uint64_t call = 0; call < s.calls(); ++call) {
      hits += hits_of<T>(philox(call, s.seed));
    }
    *s.hits = hits;
  })};
}

}  // namespace portcost::monte_carlo
