// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first: an MDRangePolicy over the modes, a
// RangePolicy over the numbers, and the same library between.
#include "variants/fft_derivative/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

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

template <class T>
void scale_out(T* numbers, std::int64_t count, T by, const Stream& on) {
  const Kokkos::View<T*, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> out(
      numbers, static_cast<std::size_t>(count));
  Kokkos::parallel_for(
      "portcost::fft_derivative::usual",
      Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<std::int64_t>>(kokkos_space(on), 0, count),
      KOKKOS_LAMBDA(const std::int64_t i) { out(i) *= by; });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto own = [](const auto& s, double factor, const Stream& on) {
    derive(OwnTile(), s, factor, on);
  };
  const auto good = [](const auto& s, double factor, const Stream& on) {
    derive(GoodTile(), s, factor, on);
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

}  // namespace portcost::fft_derivative
