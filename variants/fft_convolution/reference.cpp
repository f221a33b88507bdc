// SPDX-License-Identifier: Apache-2.0
// The obvious serial answer: a sum over the image for each element.
#include "variants/fft_convolution/problem.hpp"

namespace portcost::fft_convolution {

namespace {

constexpr auto serial = []<class T>(const Image<T>& s, const Stream&) {
  for (int y = 0; y < s.ny; ++y) {
    for (int x = 0; x < s.nx; ++x) {
      double sum = 0;
      for (int j = 0; j < s.ny; ++j) {
        const T* const image = s.f + std::int64_t{j} * s.nx;
        const T* const kernel = s.kernel + std::int64_t{(y - j + s.ny) % s.ny} * s.nx;
        for (int i = 0; i < s.nx; ++i) {
          sum += double{image[i]} * double{kernel[x - i + (i > x ? s.nx : 0)]};
        }
      }
      s.out[std::int64_t{y} * s.nx + x] = static_cast<T>(sum);
    }
  }
};

constexpr auto scaled = []<class T>(const Image<T>& s, const Stream&) {
  const std::int64_t count = s.shape().numbers();
  for (std::int64_t i = 0; i < count; ++i) s.out[i] = static_cast<T>(count) * s.f[i];
};

}  // namespace

Rungs reference_rungs() {
  return {rung(works, "separate", serial), rung(works, "transform", scaled),
          rung(works, "plan", scaled)};
}

}  // namespace portcost::fft_convolution
