// SPDX-License-Identifier: Apache-2.0
// Calls the library on the harness's memory, and the kernels of book.hpp between.
#include "variants/fft_poisson/kokkos/book_modes.hpp"

namespace portcost::fft_poisson {

Rungs kokkos_book_rungs() {
  const auto scale = []<class T>(T* out, std::int64_t count, T by, const Stream& on) {
    const book::Numbers<T> numbers(out, static_cast<std::size_t>(count));
    book::scale(kokkos_space(on), team_size(8), numbers, by);
  };
  return fft::where_present(
      {rung(works, "separate", fft::separate(book::modes, scale)).written(Way::book),
       rung(works, "fused", fft::fused(book::modes)).written(Way::book)});
}

}  // namespace portcost::fft_poisson
