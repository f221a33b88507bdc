// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: a kernel is a parallel loop.
#include "variants/launches/problem.hpp"

namespace portcost::launches {

Rungs openmp_rungs() {
  return {rung(works, "in_turn", [](const Work& s, const Stream&) {
    with_functor(s, [&](const auto& map) {
      for (int k = 0; k < s.kernels; ++k) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < s.n; ++i) map(i);
      }
    });
  })};
}

}  // namespace portcost::launches
