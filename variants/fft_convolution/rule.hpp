// SPDX-License-Identifier: Apache-2.0
// One mode of a convolution.
#pragma once

#include "variants/shared/fft_rule.hpp"

namespace portcost::fft_convolution {

/// The product of a mode of the image and the same mode of the kernel.
template <class T>
PORTCOST_HOST_DEVICE constexpr fft::Complex<T> product(fft::Complex<T> a, fft::Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

}  // namespace portcost::fft_convolution
