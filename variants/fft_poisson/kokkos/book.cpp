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
  Rungs rungs{rung(works, "separate", fft::separate(modes, scale)).written(Way::book),
              rung(works, "fused", fft::fused(modes)).written(Way::book)};
  if constexpr (kokkos_shapes == Place::device) {
    const auto axis = []<class T>(const Grid<T>& s, const Stream& on) {
      const auto extent = [](int n) { return static_cast<std::size_t>(n); };
      const fft::Shape shape = s.shape();
      const auto slowest = static_cast<int>(shape.slowest()),
                 columns = static_cast<int>(shape.per_node());
      const AxisInversion<T> all(s);
      const book::Numbers<const T> of_x(all.of_x, extent(all.modes)),
          of_row(all.of_row, extent(columns / all.modes)), of_axis(all.of_axis, extent(slowest));
      fft::over_axis(slowest, columns, [&](auto pass) {
        const book::Matrices<T> spectrum(s.spectrum, extent(pass.matrices), extent(pass.n),
                                         extent(pass.columns));
        book::invert_axis(kokkos_space(on), team_size(fft::pass_threads), pass, spectrum, of_x,
                          of_row, of_axis, all.scale);
      });
    };
    rungs.push_back(
        rung(works, "fused_axis", fft::fused_axis(axis)).unless(no_fused_axis).written(Way::book));
  }
  return fft::where_present(std::move(rungs));
}

}  // namespace portcost::fft_poisson
