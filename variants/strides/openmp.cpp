// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: OpenMP threads over stretches of elements, or over rows.
#include <algorithm>

#include "variants/strides/problem.hpp"

namespace portcost::strides {

namespace {

// From one stride to another, each known to be 1 where it is.
template <Side side>
constexpr auto strided = []<class T>(const Copies<T>& s, const Stream&) {
  const T* const from = s.a + source<side>(s, 0);
  T* const to = s.b + target<side>(s, 0);
  const std::int64_t from_apart = side == Side::writes ? 1 : s.stride;
  const std::int64_t to_apart = side == Side::reads ? 1 : s.stride;
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < s.n; ++i) to[i * to_apart] = from[i * from_apart];
};

template <bool padded>
constexpr auto rows = []<class T>(const Copies<T>& s, const Stream&) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < s.rows; ++r) {
    const T* const from = s.a + row_of<padded>(s, r);
    std::copy(from, from + s.columns, s.b + row_of<padded>(s, r));
  }
};

constexpr auto gather = []<class T>(const Copies<T>& s, const Stream&) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < s.n; ++i) s.b[i] = s.a[picked(s, i)];
};

template <bool alike>
constexpr auto scale = []<class T>(const Copies<T>& s, const Stream&) {
  const Coefficients<T> table;
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < s.n; ++i) s.b[i] = s.a[i] * table(which<alike>(i));
};

}  // namespace

Rungs openmp_rungs() {
  return {rung(works, "reads", strided<Side::reads>),
          rung(works, "writes", strided<Side::writes>),
          rung(works, "both", strided<Side::both>),
          rung(works, "packed_rows", rows<false>).unless(no_rows),
          rung(works, "padded_rows", rows<true>).unless(no_rows),
          rung(works, "gather", gather).unless(no_rows),
          rung(works, "scaled_alike", scale<true>).unless(no_rows),
          rung(works, "scaled_apart", scale<false>).unless(no_rows)};
}

}  // namespace portcost::strides
