// SPDX-License-Identifier: Apache-2.0
// Native on CPUs: each thread has a stretch of the numbers, in vectors.
#include "axpy/problem.hpp"

namespace portcost::axpy {

Rungs openmp_rungs() {
  return {rung(works, "plain", [](const auto& s, const Stream&) {
    const auto n = static_cast<std::int64_t>(s.n);
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) s.out[i] = rule(s.a, s.x[i], s.y[i]);
  })};
}

}  // namespace portcost::axpy
