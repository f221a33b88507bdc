// SPDX-License-Identifier: Apache-2.0
// kokkos-fft.
#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/kokkos_fft_peer.hpp"

namespace portcost::fft_derivative {

Rungs library_kokkos_fft_rungs() {
  const auto make = []<class T>(const Lines<T>& s, const Stream& on) -> std::unique_ptr<Execution> {
    const auto modes = [](const Lines<T>& all, double factor, const Stream& stream) {
      fft::by_kokkos::for_modes(Derivation<T>(all, factor), stream);
    };
    return fft::kokkos_fft<2, 1>(s, on, modes);
  };
  return {rung(works, "kokkos_fft", make)};
}

}  // namespace portcost::fft_derivative
