// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first: an MDRangePolicy over the modes, a
// RangePolicy over the numbers, and the same library between.
#include "variants/fft_convolution/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

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
        spectrum(i, j) = convolved(spectrum(i, j), kernel(i, j), scale);
      });
}

template <class T>
void scale_out(T* numbers, std::int64_t count, T by, const Stream& on) {
  const Kokkos::View<T*, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> out(
      numbers, static_cast<std::size_t>(count));
  Kokkos::parallel_for(
      "portcost::fft_convolution::usual",
      Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<std::int64_t>>(kokkos_space(on), 0, count),
      KOKKOS_LAMBDA(const std::int64_t i) { out(i) *= by; });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto own = [](const auto& s, double factor, const Stream& on) {
    multiply(OwnTile(), s, factor, on);
  };
  const auto good = [](const auto& s, double factor, const Stream& on) {
    multiply(GoodTile(), s, factor, on);
  };
  const auto separate = [](std::string_view dials, const auto& modes) {
    const auto behind = [](const auto&... all) { scale_out(all...); };
    return rung(works, "separate", fft::separate(modes, behind)).written(Way::usual, dials);
  };
  const auto fused = [](std::string_view dials, const auto& modes) {
    return rung(works, "fused", fft::fused(modes)).written(Way::usual, dials);
  };
  return fft::where_present({separate("", own), fused("", own), separate(GoodTile::dial, good),
                             fused(GoodTile::dial, good)});
}

}  // namespace portcost::fft_convolution
