// SPDX-License-Identifier: Apache-2.0
// Coefficients for algorithms that eliminate without pivoting. Plain C++.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "variants/shared/numbers.hpp"

namespace portcost {

/// The elements of integer factors L and U are products of these.
inline constexpr std::array<std::int64_t, 2> lu_signs{-1, 1};
inline constexpr std::array<std::int64_t, 4> lu_small{-2, -1, 1, 2};
inline constexpr std::array<std::int64_t, 6> lu_pivots{-4, -2, -1, 1, 2, 4};

/// The number at `i` of stream `which`, drawn from a list.
inline std::int64_t one_of(std::span<const std::int64_t> list, std::uint64_t seed,
                           std::uint64_t which, std::int64_t i) {
  return list[(random_bits(seed + which, static_cast<std::uint64_t>(i)) >> 16) % list.size()];
}

/// A coefficient from -1 to 1; a dominant one is n or -n.
inline double lu_coefficient(std::uint64_t seed, std::int64_t i, std::int64_t n, bool dominant) {
  const std::uint64_t bits = random_bits(seed, static_cast<std::uint64_t>(i) + 1);
  if (dominant) return static_cast<double>(n) * (bits % 2 == 0 ? 1 : -1);
  return static_cast<double>(bits >> 40) * 0x1p-23 - 1;
}

/// The greatest magnitude among element(0) ... element(count - 1).
template <class T, class Element>
T greatest_of(std::int64_t count, const Element& element) {
  T most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (std::int64_t i = 0; i < count; ++i) most = std::max(most, std::fabs(element(i)));
  return most;
}

}  // namespace portcost
