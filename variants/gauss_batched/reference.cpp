// SPDX-License-Identifier: Apache-2.0
#include "variants/gauss_batched/problem.hpp"

namespace portcost::gauss_batched {

namespace {

// Factorises a system. Returns the column whose pivot is refused, or -1.
template <class T>
int factor(const Batch<T>& b, T* a) {
  for (int k = 0; k < b.n; ++k) {
    const T* const from = a + k * b.n;
    if (b.refuses(from[k])) return k;
    const T inverse = reciprocal(from[k]);
    for (int i = k + 1; i < b.n; ++i) {
      T* const row = a + i * b.n;
      row[k] = multiplier(row[k], inverse);
      for (int j = k + 1; j < b.n; ++j) row[j] = eliminate(row[j], row[k], from[j]);
    }
  }
  return -1;
}

}  // namespace

Rungs reference_rungs() {
  return {rung(works, "thread_each", [](const auto& b, const Stream&) {
    for (int system = 0; system < b.count; ++system) {
      b.bad_pivot[system] = factor(b, b.system(system));
    }
  })};
}

}  // namespace portcost::gauss_batched
