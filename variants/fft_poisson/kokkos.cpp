// SPDX-License-Identifier: Apache-2.0
// Tuned portable variants: the same library on the same memory, and team kernels around its calls.
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/kokkos_fft.hpp"

namespace portcost::fft_poisson {

Rungs kokkos_rungs() {
  const auto modes = []<class T>(const Grid<T>& s, double factor, const Stream& on) {
    fft::by_kokkos::for_modes(Inversion<T>(s, factor), on);
  };
  const auto axis = []<class T>(const Grid<T>& s, const Stream& on) {
    fft::by_kokkos::for_axis(s, AxisInversion<T>(s), on);
  };
  return fft::where_present(
      {rung(works, "separate", fft::separate(modes, fft::by_kokkos::scale)),
       rung(works, "fused", fft::fused(modes)),
       device_step(works, "fused_axis", fft::fused_axis(axis)).unless(no_fused_axis)});
}

}  // namespace portcost::fft_poisson
