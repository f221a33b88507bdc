// SPDX-License-Identifier: Apache-2.0
// Native GPU steps over processes: a GPU a process.
#include "variants/fft_poisson/ranks.hpp"
#include "variants/shared/cuda_fft.cuh"

namespace portcost::fft_poisson {

Rungs cuda_ranks_rungs() {
  const auto modes = []<class T>(const Grid<T>& s, double factor, const Stream& on) {
    fft::by_cuda::for_modes(Inversion<T>(s, factor), on);
  };
  return slabs(modes, modes, Way::tuned, Place::device);
}

}  // namespace portcost::fft_poisson
