// SPDX-License-Identifier: Apache-2.0
// Calls the library on the harness's memory, and the kernels of book.hpp between.
#include "variants/fft_poisson/kokkos/book.hpp"

#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::fft_poisson {

Rungs kokkos_book_rungs() {
  const auto modes = []<class T>(const Grid<T>& s, double factor, const Stream& on) {
    const auto extent = [](int n) { return static_cast<std::size_t>(n); };
    const Inversion<T> all(s, factor);
    const book::Spectrum<T> spectrum(s.spectrum, extent(all.rows), extent(all.modes));
    const book::Numbers<const T> of_x(all.of_x, extent(all.modes)), of_y(all.of_y, extent(s.ny)),
        of_z(all.of_z, extent(s.nz));
    book::invert(kokkos_space(on), team_size(8), spectrum, of_x, of_y, of_z, all.scale);
  };
  const auto scale = []<class T>(T* out, std::int64_t count, T by, const Stream& on) {
    const book::Numbers<T> numbers(out, static_cast<std::size_t>(count));
    book::scale(kokkos_space(on), team_size(8), numbers, by);
  };
  return fft::where_present(
      {rung(works, "separate", fft::separate(modes, scale)).written(Way::book),
       rung(works, "fused", fft::fused(modes)).written(Way::book)});
}

}  // namespace portcost::fft_poisson
