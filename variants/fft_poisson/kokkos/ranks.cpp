// SPDX-License-Identifier: Apache-2.0
// Portable steps over processes: Kokkos inside MPI.
#include "variants/fft_poisson/kokkos/book.hpp"

#include "variants/fft_poisson/ranks.hpp"
#include "variants/shared/kokkos_fft.hpp"

namespace portcost::fft_poisson {

Rungs kokkos_ranks_rungs() {
  const auto tuned = []<class T>(const Grid<T>& s, double factor, const Stream& on) {
    fft::by_kokkos::for_modes(Inversion<T>(s, factor), on);
  };
  const auto by_the_book = []<class T>(const Grid<T>& s, double factor, const Stream& on) {
    const auto extent = [](int n) { return static_cast<std::size_t>(n); };
    const Inversion<T> all(s, factor);
    using Numbers = book::Numbers<const T>;
    book::invert(kokkos_space(on), team_size(8),
                 book::Spectrum<T>(s.spectrum, extent(all.rows), extent(all.modes)),
                 Numbers(all.of_x, extent(all.modes)), Numbers(all.of_y, extent(s.ny)),
                 Numbers(all.of_z, extent(s.nz)), all.scale);
  };
  return joined({slabs(tuned, tuned), slabs(by_the_book, by_the_book, Way::book)});
}

}  // namespace portcost::fft_poisson
