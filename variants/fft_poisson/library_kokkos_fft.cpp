// SPDX-License-Identifier: Apache-2.0
// kokkos-fft.
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/kokkos_fft_peer.hpp"

namespace portcost::fft_poisson {

Rungs library_kokkos_fft_rungs() {
  const auto make = []<class T>(const Grid<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
    const auto modes = [](const Grid<T>& all, double factor, const Stream& stream) {
      fft::by_kokkos::for_modes(Inversion<T>(all, factor), stream);
    };
    if (s.nz > 1) return fft::kokkos_fft<3, 3>(s, on, modes);
    return fft::kokkos_fft<2, 2>(s, on, modes);
  };
  return {rung(works, "kokkos_fft", make)};
}

}  // namespace portcost::fft_poisson
