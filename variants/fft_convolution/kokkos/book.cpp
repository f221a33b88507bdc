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
  return fft::where_present(
      {rung(works, "separate", fft::separate(modes, scale)).written(Way::book),
       rung(works, "fused", fft::fused(modes)).written(Way::book)});
}

}  // namespace portcost::fft_convolution
