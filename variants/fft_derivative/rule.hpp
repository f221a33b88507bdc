// SPDX-License-Identifier: Apache-2.0
// The derivative of one mode of a line.
#pragma once

#include "variants/shared/fft_rule.hpp"

namespace portcost::fft_derivative {

/// The factor of mode k of n, without i 2 pi: the wave number, or 0 if 2 k = n, because only the
/// even part of this mode is known.
PORTCOST_HOST_DEVICE constexpr std::int64_t slope(std::int64_t k, std::int64_t n) {
  return 2 * k == n ? 0 : fft::wave_number(k, n);
}

/// i `by` z
template <class T>
PORTCOST_HOST_DEVICE constexpr fft::Complex<T> derived(fft::Complex<T> z, T by) {
  return {-by * z.im, by * z.re};
}

}  // namespace portcost::fft_derivative
