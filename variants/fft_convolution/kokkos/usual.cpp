// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first (kokkos_fft_usual.hpp).
#include "variants/fft_convolution/problem.hpp"
#include "variants/shared/kokkos_fft_usual.hpp"

namespace portcost::fft_convolution {

namespace {

// Indices are (k, row) with LayoutLeft, and (row, k) with LayoutRight.
template <int first, int second, class T>
void multiply(PolicyTile<first, second>, const Image<T>& s, double factor, const Stream& on) {
  using Policy = Kokkos::MDRangePolicy<KokkosSpace, Kokkos::Rank<2>>;
  const int modes = s.nx / 2 + 1;
  const auto spectrum = view_of<DefaultLayout>(s.spectrum, s.ny, modes, modes);
  const auto kernel = view_of<DefaultLayout>(s.kernel_spectrum, s.ny, modes, modes);
  const T scale = static_cast<T>(factor);
  Kokkos::parallel_for(
      "portcost::fft_convolution::usual",
      Policy(kokkos_space(on), {0, 0}, {spectrum.extent_int(0), spectrum.extent_int(1)},
             {first, second}),
      KOKKOS_LAMBDA(const int i, const int j) {
        spectrum(i, j) = fft::scaled(product(spectrum(i, j), kernel(i, j)), scale);
      });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  return fft::usual_rungs<OwnTile, GoodTile>(works, [](const auto&... all) { multiply(all...); });
}

}  // namespace portcost::fft_convolution
