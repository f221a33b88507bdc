// SPDX-License-Identifier: Apache-2.0
// Calls the kernel of book.hpp for a grid's modes, on the harness's memory.
#pragma once

#include "variants/fft_poisson/kokkos/book.hpp"
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::fft_poisson::book {

inline constexpr auto modes = []<class T>(const Grid<T>& s, double factor, const Stream& on) {
  const auto extent = [](int n) { return static_cast<std::size_t>(n); };
  const Inversion<T> all(s, factor);
  const Spectrum<T> spectrum(s.spectrum, extent(all.rows), extent(all.modes));
  const Numbers<const T> of_x(all.of_x, extent(all.modes)), of_y(all.of_y, extent(s.ny)),
      of_z(all.of_z, extent(s.nz));
  invert(kokkos_space(on), team_size(8), spectrum, of_x, of_y, of_z, all.scale);
};

}  // namespace portcost::fft_poisson::book
