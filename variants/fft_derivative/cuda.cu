// SPDX-License-Identifier: Apache-2.0
// Native GPU variants: cuFFT, and kernels between transforms.
#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/cuda_fft.cuh"

namespace portcost::fft_derivative {

Rungs cuda_rungs() {
  const auto modes = []<class T>(const Lines<T>& s, double factor, const Stream& on) {
    fft::by_cuda::for_modes(Derivation<T>(s, factor), on);
  };
  return fft::where_present(
      Place::device,
      {rung(works, "separate", fft::separate(modes, fft::by_cuda::scale)),
       rung(works, "fused", fft::fused(modes)), rung(works, "transform", fft::transform),
       rung(works, "plan", fft::plan_anew)});
}

}  // namespace portcost::fft_derivative
