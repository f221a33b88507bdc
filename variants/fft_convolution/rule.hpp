// SPDX-License-Identifier: Apache-2.0
// One mode of a convolution.
#pragma once

#include "variants/shared/fft_pass.hpp"

namespace portcost::fft_convolution {

/// The product of a mode of the image and the same mode of the kernel, times `scale`.
template <class T>
PORTCOST_HOST_DEVICE constexpr fft::Complex<T> convolved(fft::Complex<T> image,
                                                         fft::Complex<T> kernel, T scale) {
  return fft::scaled(fft::product(image, kernel), scale);
}

}  // namespace portcost::fft_convolution
