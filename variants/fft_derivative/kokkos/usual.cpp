// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (kokkos_fft_usual.hpp).
#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/kokkos_fft_usual.hpp"

namespace portcost::fft_derivative {

namespace {

// Indices are (k, line) with LayoutLeft, and (line, k) with LayoutRight.
template <int first, int second, class T>
void derive(PolicyTile<first, second>, const Lines<T>& s, double factor, const Stream& on) {
  using Policy = Kokkos::MDRangePolicy<KokkosSpace, Kokkos::Rank<2>>;
  const int n = s.n, modes = n / 2 + 1;
  const auto spectrum = view_of<DefaultLayout>(s.spectrum, s.lines, modes, modes);
  const T unit = static_cast<T>(2 * std::numbers::pi * factor);
  Kokkos::parallel_for(
      "portcost::fft_derivative::usual",
      Policy(kokkos_space(on), {0, 0}, {spectrum.extent_int(0), spectrum.extent_int(1)},
             {first, second}),
      KOKKOS_LAMBDA(const int i, const int j) {
        const int k = default_is_left ? i : j;
        spectrum(i, j) = derived(spectrum(i, j), unit * static_cast<T>(slope(k, n)));
      });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  return fft::usual_rungs<OwnTile, GoodTile>(works, [](const auto&... all) { derive(all...); });
}

}  // namespace portcost::fft_derivative
