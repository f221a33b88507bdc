// SPDX-License-Identifier: Apache-2.0
#include "variants/fft_convolution/problem.hpp"
#include "variants/shared/fft_truth.hpp"

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

}  // namespace

Rungs reference_rungs() { return fft::reference_rungs(works, serial); }

}  // namespace portcost::fft_convolution
