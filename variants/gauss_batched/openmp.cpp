// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over systems; vectors along rows, or across systems.
#include <algorithm>

#include "variants/gauss_batched/host.hpp"
#include "variants/gauss_batched/problem.hpp"

namespace portcost::gauss_batched {

namespace {

// One system; the column whose pivot is refused, or -1. A function of its own, on both sides, so
// that the loops around it take no registers from its own.
template <class T>
[[gnu::noinline]] int factor(const Batch<T>& b, T* a) {
  for (int k = 0; k < b.n; ++k) {
    const T* const from = a + k * b.n;
    const T pivot = from[k];
    if (b.refuses(pivot)) return k;
    const T inverse = reciprocal(pivot);
    for (int i = k + 1; i < b.n; ++i) {
      T* const row = a + i * b.n;
      const T times = multiplier(row[k], inverse);
      row[k] = times;
#pragma omp simd
      for (int j = k + 1; j < b.n; ++j) row[j] = eliminate(row[j], times, from[j]);
    }
  }
  return -1;
}

template <class T>
void thread_each(const Batch<T>& b, const Stream&) {
  constexpr int together = each_systems(Place::host);
#pragma omp parallel for schedule(static)
  for (int first = 0; first < b.count; first += together) {
    for (int system = first; system < std::min(first + together, b.count); ++system) {
      const int bad = factor(b, b.system(system));
      if (bad >= 0) b.bad_pivot[system] = bad;
    }
  }
}

template <class T>
void staged(const Batch<T>& b, const Stream&) {
  constexpr int wide = Strip<T>::wide;
  constexpr int most = strip_elements<T>(static_cast<int>(most_unknowns));
#pragma omp parallel for schedule(static)
  for (int strip = 0; strip < ceil_div(b.count, wide); ++strip) {
    alignas(Strip<T>::bytes) T elements[most];
    HostStrip<T>{b, strip * wide, elements}.take();
  }
}

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "thread_each", [](const auto& b, const Stream& on) { thread_each(b, on); }),
          rung(works, "staged", [](const auto& b, const Stream& on) { staged(b, on); })};
}

}  // namespace portcost::gauss_batched
