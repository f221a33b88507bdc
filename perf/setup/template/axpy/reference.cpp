// SPDX-License-Identifier: Apache-2.0
// The obvious serial answer, which all variants are checked against.
#include "axpy/problem.hpp"

namespace portcost::axpy {

Rungs reference_rungs() {
  return {rung(works, "plain", [](const auto& s, const Stream&) {
    for (std::uint64_t i = 0; i < s.n; ++i) s.out[i] = rule(s.a, s.x[i], s.y[i]);
  })};
}

}  // namespace portcost::axpy
