// SPDX-License-Identifier: Apache-2.0
// Calls the library on the harness's memory, and the kernels of book.hpp between.
#include "variants/fft_convolution/kokkos/book.hpp"

#include "variants/fft_convolution/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::fft_convolution {

Rungs kokkos_book_rungs() {
  const auto modes = []<class T>(const Image<T>& s, double factor, const Stream& on) {
    const auto rows = static_cast<std::size_t>(s.ny),
               columns = static_cast<std::size_t>(s.nx / 2 + 1);
    const book::Spectrum<fft::Complex<T>> spectrum(s.spectrum, rows, columns);
    const book::Spectrum<const fft::Complex<T>> kernel(s.kernel_spectrum, rows, columns);
    book::multiply(kokkos_space(on), team_size(8), spectrum, kernel, static_cast<T>(factor));
  };
  const auto scale = []<class T>(T* out, std::int64_t count, T by, const Stream& on) {
    const book::Numbers<T> numbers(out, static_cast<std::size_t>(count));
    book::scale(kokkos_space(on), team_size(8), numbers, by);
  };
  Rungs rungs{rung(works, "separate", fft::separate(modes, scale)).written(Way::book),
              rung(works, "fused", fft::fused(modes)).written(Way::book)};
  if constexpr (kokkos_shapes == Place::device) {
    const auto axis = []<class T>(const Image<T>& s, const Stream& on) {
      const auto extent = [](int n) { return static_cast<std::size_t>(n); };
      const fft::Shape shape = s.shape();
      const auto slowest = static_cast<int>(shape.slowest()),
                 columns = static_cast<int>(shape.per_node());
      const AxisProduct<T> all(s);
      const book::Spectrum<const fft::Complex<T>> kernel(s.kernel_spectrum, extent(slowest),
                                                         extent(columns));
      fft::over_axis(slowest, columns, [&](auto pass) {
        const book::Matrices<T> spectrum(s.spectrum, extent(pass.matrices), extent(pass.n),
                                         extent(pass.columns));
        book::multiply_axis(kokkos_space(on), team_size(fft::pass_threads), pass, spectrum, kernel,
                            all.scale);
      });
    };
    rungs.push_back(
        rung(works, "fused_axis", fft::fused_axis(axis)).unless(no_fused_axis).written(Way::book));
  }
  return fft::where_present(std::move(rungs));
}

}  // namespace portcost::fft_convolution
