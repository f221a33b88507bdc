// SPDX-License-Identifier: Apache-2.0
// Calls the library on the harness's memory, and the kernels of book.hpp between.
#include "variants/fft_derivative/kokkos/book.hpp"

#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::fft_derivative {

Rungs kokkos_book_rungs() {
  const auto modes = []<class T>(const Lines<T>& s, double factor, const Stream& on) {
    const book::Spectrum<T> spectrum(s.spectrum, static_cast<std::size_t>(s.lines),
                                     static_cast<std::size_t>(s.n / 2 + 1));
    book::derive(kokkos_space(on), team_size(8), spectrum, s.n,
                 static_cast<T>(2 * std::numbers::pi * factor));
  };
  const auto scale = []<class T>(T* out, std::int64_t count, T by, const Stream& on) {
    const book::Numbers<T> numbers(out, static_cast<std::size_t>(count));
    book::scale(kokkos_space(on), team_size(8), numbers, by);
  };
  return fft::where_present(
      {rung(works, "separate", fft::separate(modes, scale)).written(Way::book),
       rung(works, "fused", fft::fused(modes)).written(Way::book)});
}

}  // namespace portcost::fft_derivative
