// SPDX-License-Identifier: Apache-2.0
// Common to algorithms that eliminate without pivoting: the arithmetic of one pivot and of one
// element, and what pivot is refused. Plain C++.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/support/host_device.hpp"

namespace portcost {

/// By what an element below the pivot is multiplied. One division a pivot, as in LAPACK's getf2.
template <class T>
PORTCOST_HOST_DEVICE inline T reciprocal(T pivot) {
  return T(1) / pivot;
}

/// The same without a division and without a branch, by Newton's iteration from a guess that is
/// within 13 %: equal to it, to the bit, where quick_reciprocal_holds(). The steps double the
/// digits; the last one rounds (P. W. Markstein, IBM J. Res. Dev. 34(1), 1990).
template <class T>
PORTCOST_HOST_DEVICE inline T quick_reciprocal(T pivot) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits two = static_cast<Bits>(sizeof(T) == 4 ? 0x7EF311C7u : 0x7FDE623822FC16E6u);
  Bits bits;
  std::memcpy(&bits, &pivot, sizeof(T));
  bits = two - bits;
  T result;
  std::memcpy(&result, &bits, sizeof(T));
  for (int step = 0; step < (sizeof(T) == 4 ? 4 : 6); ++step) {
    result = std::fma(result, std::fma(-pivot, result, T(1)), result);
  }
  return result;
}
/// Not where the reciprocal is less than a normal number, nor where it lies so close to the middle
/// of two numbers that the last step does not tell them apart, which is where all digits are ones.
/// The pivot is none that is refused.
template <class T>
PORTCOST_HOST_DEVICE inline bool quick_reciprocal_holds(T pivot) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits digits =
      sizeof(T) == 4 ? Bits{(1u << 23) - 1} : static_cast<Bits>((1ull << 52) - 1);
  constexpr T great = sizeof(T) == 4 ? T(0x1p125) : T(0x1p1000);
  Bits bits;
  std::memcpy(&bits, &pivot, sizeof(T));
  return std::fabs(pivot) < great && (bits & digits) != digits;
}

/// The element less the multiple of the one in the pivot's row, rounded once.
///
/// Bit for bit the same from every compiler, because the product stands in a spelled-out fused
/// multiply-add. So all variants that take an element's products in the order of their columns, and
/// begin with the element itself, have equal answers, in blocks or not.
template <class T>
PORTCOST_HOST_DEVICE inline T eliminate(T element, T multiplier, T from) {
  return std::fma(-multiplier, from, element);
}

/// The greatest number of a type; device code may not call std::numeric_limits.
template <class T>
inline constexpr T greatest_number = std::numeric_limits<T>::max();

/// Whether a pivot is refused: no greater than `tiny` (tiny_pivot), infinite because elimination
/// overflowed, or no number.
template <class T>
PORTCOST_HOST_DEVICE inline bool is_bad_pivot(T pivot, T tiny) {
  constexpr T most = greatest_number<T>;
  return !(std::fabs(pivot) > tiny && std::fabs(pivot) <= most);
}

/// The greatest pivot that is refused where `greatest` is the greatest element, both without signs:
/// so small that rounding the greatest element once could have made it, or that its reciprocal
/// might be no number of the type.
template <class T>
T tiny_pivot(T greatest) {
  return std::max(greatest * std::numeric_limits<T>::epsilon() / 2, std::numeric_limits<T>::min());
}

}  // namespace portcost
