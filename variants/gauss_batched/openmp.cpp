// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over systems; vectors along rows, or across systems.
#include <algorithm>

#include "variants/gauss_batched/host_bodies.hpp"

namespace portcost::gauss_batched {

namespace {

// Factorises a system. Returns the column whose pivot is refused, or -1. A separate function, on
// both sides, so that the loops around it take none of its registers.
template <class T>
[[gnu::noinline]] int factorise_by_vectors(const Batch<T>& b, T* a) {
  return factorise(b, a, [](int from, int end, const auto& action) {
#pragma omp simd
    for (int j = from; j < end; ++j) action(j);
  });
}

constexpr auto thread_each = []<class T>(const Batch<T>& b, const Stream&) {
  constexpr int together = each_systems(Place::host);
#pragma omp parallel for schedule(static)
  for (int first = 0; first < b.count; first += together) {
    for (int system = first; system < std::min(first + together, b.count); ++system) {
      const int bad = factorise_by_vectors(b, b.system(system));
      if (bad >= 0) b.bad_pivot[system] = bad;
    }
  }
};

constexpr auto staged = []<class T>(const Batch<T>& b, const Stream&) {
  constexpr int wide = Strip<T>::wide;
#pragma omp parallel for schedule(static)
  for (int first = 0; first < b.count; first += wide) {
    alignas(Strip<T>::bytes) T elements[Strip<T>::elements(static_cast<int>(most_unknowns))];
    const Strip<T> strip{{}, b, first, elements};
    strip.load_systems();
    strip.factorise();
    strip.store_systems();
  }
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "thread_each", thread_each), rung(works, "staged", staged)};
}

}  // namespace portcost::gauss_batched
