// SPDX-License-Identifier: Apache-2.0
// Native CPU steps over processes: OpenMP inside MPI.
#include "variants/fft_poisson/ranks.hpp"
#include "variants/shared/fft_openmp.hpp"

namespace portcost::fft_poisson {

Rungs openmp_ranks_rungs() {
  const auto modes = []<class T>(const Grid<T>& s, double factor, const Stream&) {
    fft::by_openmp::for_modes(Inversion<T>(s, factor));
  };
  return slabs(modes, modes, Way::tuned, Place::host);
}

}  // namespace portcost::fft_poisson
