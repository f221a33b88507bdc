// SPDX-License-Identifier: Apache-2.0
// Native CPU variants: FFTW, and OpenMP's threads over rows of modes.
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/fft_openmp.hpp"

namespace portcost::fft_poisson {

Rungs openmp_rungs() {
  const auto modes = []<class T>(const Grid<T>& s, double factor, const Stream&) {
    fft::by_openmp::for_modes(Inversion<T>(s, factor));
  };
  return fft::where_present(
      Place::host, {rung(works, "separate", fft::separate(modes, fft::by_openmp::scale)),
                    rung(works, "fused", fft::fused(modes)),
                    rung(works, "transform", fft::transform), rung(works, "plan", fft::plan_anew)});
}

}  // namespace portcost::fft_poisson
