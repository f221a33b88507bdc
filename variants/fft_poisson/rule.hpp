// SPDX-License-Identifier: Apache-2.0
// Poisson's equation for one mode.
#pragma once

#include "variants/shared/fft_pass.hpp"

namespace portcost::fft_poisson {

/// The mode of u in -laplace u = f, where f has the mode z: z / eigenvalue, times `scale`. The
/// mean, with eigenvalue 0, becomes 0.
template <class T>
PORTCOST_HOST_DEVICE constexpr fft::Complex<T> solved(fft::Complex<T> z, T eigenvalue, T scale) {
  return fft::scaled(z, eigenvalue > 0 ? scale / eigenvalue : T(0));
}

}  // namespace portcost::fft_poisson
