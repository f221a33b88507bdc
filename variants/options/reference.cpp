// SPDX-License-Identifier: Apache-2.0
#include "variants/options/problem.hpp"

namespace portcost::options {

Rungs reference_rungs() {
  return {rung(works, "serial", []<class T>(const Simulation<T>& s, const Stream&) {
    *s.out = {};
    for (std::uint64_t p = 0; p < s.paths; ++p) s.out->add(payoff_of_path<false>(s.terms, p));
  })};
}

}  // namespace portcost::options
