// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants: the same library on the same memory, and team kernels around its calls.
#include "variants/fft_convolution/problem.hpp"
#include "variants/shared/kokkos_fft.hpp"

namespace portcost::fft_convolution {

Rungs kokkos_rungs() {
  const auto modes = []<class T>(const Image<T>& s, double factor, const Stream& on) {
    fft::by_kokkos::for_modes(Product<T>(s, factor), on);
  };
  return fft::where_present({rung(works, "separate", fft::separate(modes, fft::by_kokkos::scale)),
                             rung(works, "fused", fft::fused(modes))});
}

}  // namespace portcost::fft_convolution
