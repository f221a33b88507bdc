// SPDX-License-Identifier: Apache-2.0
#include "variants/launches/problem.hpp"

namespace portcost::launches {

Rungs reference_rungs() {
  return {rung(works, "in_turn", [](const Work& s, const Stream&) {
    const int words = (s.bytes - 16) / 4;
    for (int k = 0; k < s.kernels; ++k) {
      for (int i = 0; i < s.n; ++i) s.x[i] = next(s.x[i], s.table[i % words]);
    }
  })};
}

}  // namespace portcost::launches
