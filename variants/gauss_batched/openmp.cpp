// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over systems; vectors along rows, or across systems.
#include <algorithm>

#include "variants/gauss_batched/problem.hpp"

namespace portcost::gauss_batched {

namespace {

// Factorises a system. Returns the column whose pivot is refused, or -1. A separate function, on
// both sides, so that the loops around it take none of its registers.
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

constexpr auto thread_each = []<class T>(const Batch<T>& b, const Stream&) {
  constexpr int together = each_systems(Place::host);
#pragma omp parallel for schedule(static)
  for (int first = 0; first < b.count; first += together) {
    for (int system = first; system < std::min(first + together, b.count); ++system) {
      const int bad = factor(b, b.system(system));
      if (bad >= 0) b.bad_pivot[system] = bad;
    }
  }
};

// ---- staged. A strip interleaves systems: a vector holds element e of all of them.

// Copies between the systems and the strip. Where the strip is full, action(systems' elements,
// strip's vectors) copies square by square; then one(system's element, strip's element) copies the
// remainder.
template <class T, class Square, class One>
void for_strip(const Batch<T>& b, int first, T* strip, const Square& square, const One& one) {
  constexpr int wide = Strip<T>::wide;
  const int there = std::min(wide, b.count - first), size = b.size();
  int begin = 0;
  if (there == wide) {
    for (; begin + wide <= size; begin += wide)
      square(b.system(first) + begin, strip + begin * wide);
  }
  for (int l = 0; l < there; ++l) {
    for (int e = begin; e < size; ++e) one(b.system(first + l)[e], strip[e * wide + l]);
  }
}

template <class T>
void load_strip(const Batch<T>& b, int first, T* strip) {
  using Of = Strip<T>;
  // Systems past the end are 0; their refused pivots are not stored.
  if (b.count - first < Of::wide) std::fill_n(strip, b.size() * Of::wide, T(0));
  for_strip(
      b, first, strip,
      [&](const T* systems, T* to) {
        typename Of::Vector some[Of::wide];
#pragma GCC unroll 16
        for (int l = 0; l < Of::wide; ++l) some[l] = Of::load(systems + l * b.size());
        Of::transpose(some);
#pragma GCC unroll 16
        for (int l = 0; l < Of::wide; ++l) Of::store(to + l * Of::wide, some[l]);
      },
      [](const T& element, T& to) { to = element; });
}

template <class T>
void store_strip(const Batch<T>& b, int first, T* strip) {
  using Of = Strip<T>;
  for_strip(
      b, first, strip,
      [&](T* systems, const T* from) {
        typename Of::Vector some[Of::wide];
#pragma GCC unroll 16
        for (int l = 0; l < Of::wide; ++l) some[l] = Of::load(from + l * Of::wide);
        Of::transpose(some);
#pragma GCC unroll 16
        for (int l = 0; l < Of::wide; ++l) Of::store(systems + l * b.size(), some[l]);
      },
      [](T& element, const T& from) { element = from; });
}

// The pivots of column k. A refused pivot is stored in bad_pivot and replaced by 1.
template <class T>
typename Strip<T>::Vector pivots_of(const Batch<T>& b, int first, int k, const T* strip) {
  constexpr int wide = Strip<T>::wide;
  typename Strip<T>::Vector pivots = Strip<T>::load(strip + k * (b.n + 1) * wide);
  for (int l = 0; l < wide; ++l) {
    if (!b.refuses(pivots[l])) continue;
    pivots[l] = 1;
    const int system = first + l;
    if (system < b.count && b.bad_pivot[system] < 0) b.bad_pivot[system] = k;
  }
  return pivots;
}

template <class T>
void factor_strip(const Batch<T>& b, int first, T* strip) {
  using Of = Strip<T>;
  const auto at = [&](int i, int j) { return strip + (i * b.n + j) * Of::wide; };
  for (int k = 0; k < b.n; ++k) {
    const typename Of::Vector inverses = Of::reciprocal(pivots_of(b, first, k, strip));
    for (int i = k + 1; i < b.n; ++i) {
      const typename Of::Vector times = Of::multiplier(Of::load(at(i, k)), inverses);
      Of::store(at(i, k), times);
      for (int j = k + 1; j < b.n; ++j) {
        Of::store(at(i, j), Of::eliminate(Of::load(at(i, j)), times, Of::load(at(k, j))));
      }
    }
  }
}

constexpr auto staged = []<class T>(const Batch<T>& b, const Stream&) {
  constexpr int wide = Strip<T>::wide;
  constexpr int most = strip_elements<T>(static_cast<int>(most_unknowns));
#pragma omp parallel for schedule(static)
  for (int strip = 0; strip < ceil_div(b.count, wide); ++strip) {
    alignas(Strip<T>::bytes) T elements[most];
    load_strip(b, strip * wide, elements);
    factor_strip(b, strip * wide, elements);
    store_strip(b, strip * wide, elements);
  }
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "thread_each", thread_each), rung(works, "staged", staged)};
}

}  // namespace portcost::gauss_batched
