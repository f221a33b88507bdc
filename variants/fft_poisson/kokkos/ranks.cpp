// SPDX-License-Identifier: Apache-2.0
// Portable steps over processes: Kokkos inside MPI.
#include "variants/fft_poisson/ranks.hpp"

#include "variants/fft_poisson/kokkos/book_modes.hpp"
#include "variants/shared/kokkos_fft.hpp"

namespace portcost::fft_poisson {

Rungs kokkos_ranks_rungs() {
  const auto modes = []<class T>(const Grid<T>& s, double factor, const Stream& on) {
    fft::by_kokkos::for_modes(Inversion<T>(s, factor), on);
  };
  return joined({slabs(modes, kokkos_place()), slabs(book::modes, kokkos_place(), Way::book)});
}

}  // namespace portcost::fft_poisson
