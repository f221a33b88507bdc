// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one element, and how far rounding may take it from the exact answer.
#pragma once

#include <cmath>
#include <limits>

#include "src/memory/host_device.hpp"

namespace portcost::transfer_overlap {

/// a + sqrt(sin^2(x) + cos^2(x)): a + 1, but for rounding.
template <class T>
PORTCOST_HOST_DEVICE inline T increased(T a, T x) {
  const T s = std::sin(x), c = std::cos(x);
  return a + std::sqrt(s * s + c * c);
}

/// The largest error of increased(a, x) for a in [0, 1), whatever x.
///
/// With u = epsilon / 2, the largest relative error of one rounding: sine and cosine are within 2
/// units in the last place (CUDA's documented bound for both types; the C library's is less), so
/// within 4 u relative to themselves; their squares within 9 u, the sum of squares within 10 u, its
/// root within 5 u + u = 6 u. The sum a + root is below 2 + 6 u and rounded once more, to within
/// 2 u. That is 8 u; products of errors are far less than the ninth.
template <class T>
inline constexpr T largest_error = T(4.5) * std::numeric_limits<T>::epsilon();

}  // namespace portcost::transfer_overlap
