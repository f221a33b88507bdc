// SPDX-License-Identifier: Apache-2.0
// fft_convolution: an image convolved with a periodic kernel of the same size. Plain C++.
//
//   out[y][x] = sum of image[j][i] kernel[(y - j) mod ny][(x - i) mod nx]
//             = backward(forward(image) * forward(kernel)) / (nx ny)
#pragma once

#include "variants/fft_convolution/rule.hpp"
#include "variants/shared/fft.hpp"

namespace portcost::fft_convolution {

/// The image as every variant receives it, x fastest. The kernel's transform is made beforehand.
template <class T>
struct Image {
  using Number = T;
  using Transforms = fft::Plan<T>;
  const T* f;
  T* out;
  fft::Complex<T>* spectrum;  // [ny][nx / 2 + 1]
  const Transforms* plan;
  const T* kernel;
  const fft::Complex<T>* kernel_spectrum;
  int nx, ny;

  fft::Shape shape() const { return {nx, ny}; }
};

/// The product of each mode with the mode of the kernel, times `scale`.
template <class T>
struct Product {
  using Mode = fft::Complex<T>;
  Mode* spectrum;
  const Mode* kernel;
  int modes, rows;
  T scale;

  Product(const Image<T>& s, double factor)
      : spectrum(s.spectrum),
        kernel(s.kernel_spectrum),
        modes(s.nx / 2 + 1),
        rows(s.ny),
        scale(static_cast<T>(factor)) {}
  PORTCOST_HOST_DEVICE Mode at(int row, int k) const {
    const std::int64_t i = std::int64_t{row} * modes + k;
    return convolved(spectrum[i], kernel[i], scale);
  }
};

/// Product for fft::run_pass() along y: z is mode k of a column.
template <class T>
struct AxisProduct {
  const fft::Complex<T>* kernel;
  int modes;
  T scale;

  explicit AxisProduct(const Image<T>& s)
      : kernel(s.kernel_spectrum),
        modes(s.nx / 2 + 1),
        scale(1 / static_cast<T>(s.shape().factor())) {}
  PORTCOST_FORCEINLINE fft::Complex<T> operator()(fft::Complex<T> z, int k, int column) const {
    return convolved(z, kernel[std::int64_t{k} * modes + column], scale);
  }
};
/// Why `fused_axis` refuses a problem; empty if it does not.
inline std::string_view no_fused_axis(const Problem& p) {
  return fft::has_axis(p.size.at("ny")) ? "" : "ny must be a power of 2 from 64 to 32768: ny=8192";
}

inline fft::Shape shape_of(const Problem& p) { return {p.size.at("nx"), p.size.at("ny")}; }

// ---- Inputs.

/// Element `at` of the image, and of the kernel, in [-0.5, 0.5).
template <class T>
constexpr T image_element(std::uint64_t seed, std::uint64_t at) {
  return in_unit<T>(random_bits(seed, at)) - T(0.5);
}
template <class T>
constexpr T kernel_element(std::uint64_t seed, std::uint64_t at) {
  return in_unit<T>(random_bits(~seed, at)) - T(0.5);
}

/// The work that a variant receives, and Algorithm::judge and compare (truth.cpp).
inline constexpr Works<Image<float>, Image<double>> works;
Judgement judge(const Problem&, std::string_view step, const Answer&, const Instance&);
Disagreement compare(const Problem&, const Answer& left, const Answer& right, const Stream&);

}  // namespace portcost::fft_convolution
