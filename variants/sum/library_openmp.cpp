// SPDX-License-Identifier: Apache-2.0
// The CPU peer: OpenMP's reduction clause, threads and vectors left to the compiler.
#include "variants/sum/problem.hpp"

namespace portcost::sum {

namespace {

template <class T>
void openmp_reduction(const Numbers<T>& s, const Stream&) {
  const T* const in = s.in;
  const auto n = static_cast<std::int64_t>(s.n);
  T total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
  for (std::int64_t i = 0; i < n; ++i) total += in[i];
  *s.out = total;
}

}  // namespace

Rungs library_openmp_rungs() {
  return {rung(works, "openmp_reduction",
               [](const auto& s, const Stream& on) { openmp_reduction(s, on); })};
}

}  // namespace portcost::sum
