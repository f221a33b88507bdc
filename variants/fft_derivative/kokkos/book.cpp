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
  Rungs rungs =
      fft::where_present({rung(works, "separate", fft::separate(modes, scale)).written(Way::book),
                          rung(works, "fused", fft::fused(modes)).written(Way::book)});
  if constexpr (kokkos_shapes == Place::device) {
    const auto pass = []<class T>(const Lines<T>& s, const Stream& on) {
      const auto lines = static_cast<std::size_t>(s.lines), n = static_cast<std::size_t>(s.n);
      with_length(s.n, [&](auto length) {
        book::derive_lines<decltype(length)::value>(
            kokkos_space(on), team_size(fft::pass_threads), book::Lines<const T>(s.f, lines, n),
            book::Lines<T>(s.out, lines, n), pass_unit<T>(s.n));
      });
    };
    rungs.push_back(rung(works, "one_pass", pass).unless(no_one_pass).written(Way::book));
  }
  return rungs;
}

}  // namespace portcost::fft_derivative
