// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the modes of a Fourier transform, shared by the algorithms that transform.
#pragma once

#include <cstdint>

#include "src/support/host_device.hpp"

namespace portcost::fft {

/// A mode in the memory layout of FFTW and cuFFT.
template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};

template <class T>
PORTCOST_HOST_DEVICE constexpr Complex<T> scaled(Complex<T> z, T by) {
  return {by * z.re, by * z.im};
}

template <class T>
PORTCOST_HOST_DEVICE constexpr Complex<T> product(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// The wave number of mode j of n: modes above n / 2 have negative wave numbers.
PORTCOST_HOST_DEVICE constexpr std::int64_t wave_number(std::int64_t j, std::int64_t n) {
  return 2 * j <= n ? j : j - n;
}

}  // namespace portcost::fft
