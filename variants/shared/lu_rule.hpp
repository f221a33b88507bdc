// SPDX-License-Identifier: Apache-2.0
// For algorithms that eliminate without pivoting: the arithmetic of a pivot and of an element, and
// which pivots are refused. Plain C++.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/support/host_device.hpp"

namespace portcost {

/// The factor of an element below the pivot. One division a pivot, as in LAPACK's getf2.
template <class T>
PORTCOST_HOST_DEVICE inline T reciprocal(T pivot) {
  return T(1) / pivot;
}

/// The same without a division and without a branch, by Newton's iteration from a guess within 13
/// %. It is exact to the bit where quick_reciprocal_holds(). The steps double the digits; the last
/// step rounds (P. W. Markstein, IBM J. Res. Dev. 34(1), 1990).
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
/// False where the reciprocal is subnormal, and where it lies so close to the middle of two numbers
/// that the last step does not distinguish them, which is where all digits are ones. The pivot must
/// not be refused.
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

/// Subtracts a multiple of the pivot row's element, rounded once.
///
/// The result is bit for bit the same from every compiler, because the product is in an explicit
/// fused multiply-add. Therefore all variants that begin with the element and subtract its products
/// in the order of their columns have equal answers, in blocks or not.
template <class T>
PORTCOST_HOST_DEVICE inline T eliminate(T element, T multiplier, T from) {
  return std::fma(-multiplier, from, element);
}

/// The greatest number of a type; device code may not call std::numeric_limits.
template <class T>
inline constexpr T greatest_number = std::numeric_limits<T>::max();

/// Whether a pivot is refused: it is no greater than `tiny` (tiny_pivot), infinite because
/// elimination overflowed, or NaN.
template <class T>
PORTCOST_HOST_DEVICE inline bool is_bad_pivot(T pivot, T tiny) {
  constexpr T most = greatest_number<T>;
  return !(std::fabs(pivot) > tiny && std::fabs(pivot) <= most);
}

/// The greatest pivot that is refused where `greatest` is the greatest element, both in magnitude:
/// it is so small that a single rounding of the greatest element could have produced it, or that
/// its reciprocal might overflow.
template <class T>
T tiny_pivot(T greatest) {
  return std::max(greatest * std::numeric_limits<T>::epsilon() / 2, std::numeric_limits<T>::min());
}

}  // namespace portcost
