// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: cuFFT, and kernels between transforms.
#include "variants/fft_convolution/problem.hpp"
#include "variants/shared/cuda_fft.cuh"

namespace portcost::fft_convolution {

Rungs cuda_rungs() {
  const auto modes = []<class T>(const Image<T>& s, double factor, const Stream& on) {
    fft::by_cuda::for_modes(Product<T>(s, factor), on);
  };
  const auto axis = []<class T>(const Image<T>& s, const Stream& on) {
    fft::by_cuda::for_axis(s, AxisProduct<T>(s), on);
  };
  return fft::where_present(
      Place::device, {rung(works, "separate", fft::separate(modes, fft::by_cuda::scale)),
                      rung(works, "fused", fft::fused(modes)),
                      rung(works, "transform", fft::transform), rung(works, "plan", fft::plan_anew),
                      rung(works, "fused_axis", fft::fused_axis(axis)).unless(no_fused_axis)});
}

}  // namespace portcost::fft_convolution
