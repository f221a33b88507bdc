// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one element, and how far rounding may take it from the exact answer.
#pragma once

#include <cmath>
#include <limits>

#include "src/support/host_device.hpp"

namespace portcost::transfer_overlap {

/// Sine and cosine of x by one call, which reduces a large x once for both.
PORTCOST_HOST_DEVICE inline void sine_and_cosine(float x, float& s, float& c) {
  ::sincosf(x, &s, &c);
}
PORTCOST_HOST_DEVICE inline void sine_and_cosine(double x, double& s, double& c) {
  ::sincos(x, &s, &c);
}

/// a + sqrt(sin^2(x) + cos^2(x)): a + 1, but for rounding.
/// `fast`: by a GPU's fast functions, with x reduced once, in a multiplication, for both.
template <bool fast = false, class T>
PORTCOST_HOST_DEVICE inline T increased(T a, T x) {
  T s, c;
#ifdef __CUDA_ARCH__
  if constexpr (fast) {
    __sincosf(x, &s, &c);
    const T square = s * s + c * c;
    return a + square * rsqrtf(square);
  }
#endif
  sine_and_cosine(x, s, c);
  return a + std::sqrt(s * s + c * c);
}

/// The largest error of increased(a, x) for a in [0, 1), whatever x.
///
/// With u = epsilon / 2, the largest relative error of one rounding: sine and cosine are within 2
/// units in the last place (CUDA's documented bound for both types; the C library's is less), so
/// within 4 u relative to themselves; their squares within 9 u, the sum of squares within 10 u, its
/// root within 5 u + u = 6 u. The sum a + root is below 2 + 6 u and rounded once more, to within
/// 2 u. That is 8 u; products of errors are far less than the ninth.
///
/// Fast: sine and cosine of the reduced x are within e = 2^-21.41 and f = 2^-21.19 (CUDA's
/// documented bounds in [-pi, pi]), so the root of the sum of squares is within sqrt(e^2 + f^2) =
/// 9.3 u; squares and sum add u, the reciprocal root (2 units in the last place) 4 u, the product
/// u, the last sum 2 u: 17.3 u.
template <class T, bool fast = false>
inline constexpr T largest_error = (fast ? 9 : T(4.5)) * std::numeric_limits<T>::epsilon();

}  // namespace portcost::transfer_overlap
