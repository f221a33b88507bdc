// SPDX-License-Identifier: Apache-2.0
// Portable variants as the tutorials teach Kokkos first: an MDRangePolicy over the modes, a
// RangePolicy over the numbers, and the same library between.
#include "variants/fft_poisson/problem.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::fft_poisson {

struct Own {
  static Kokkos::Array<int, 3> extents() { return {0, 0, 0}; }
};
struct OfDevice {
  static constexpr std::string_view dial = "tile=1x4x64";
  static Kokkos::Array<int, 3> extents() { return {1, 4, 64}; }
};
struct OfHost {
  static constexpr std::string_view dial = "tile=1x16x4096";
  static Kokkos::Array<int, 3> extents() { return {1, 16, 4096}; }
};

namespace {

using Good = ShapeIn<kokkos_shapes, OfDevice, OfHost>;

template <class Data>
using View = Kokkos::View<Data, Kokkos::LayoutRight, KokkosSpace::memory_space,
                          Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// Indices are (z, y, k); x is contiguous in memory, so that the range must iterate to the right.
template <class Tile, class T>
void invert(const Grid<T>& s, double factor, const Stream& on) {
  using Policy =
      Kokkos::MDRangePolicy<KokkosSpace,
                            Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
  const auto extent = [](int n) { return static_cast<std::size_t>(n); };
  const Inversion<T> all(s, factor);
  const View<fft::Complex<T>***> spectrum(s.spectrum, extent(s.nz), extent(s.ny),
                                          extent(all.modes));
  const View<const T*> of_x(all.of_x, extent(all.modes)), of_y(all.of_y, extent(s.ny)),
      of_z(all.of_z, extent(s.nz));
  const T scale = all.scale;
  Kokkos::parallel_for(
      "portcost::fft_poisson::usual",
      Policy(kokkos_space(on), {0, 0, 0}, {s.nz, s.ny, all.modes}, Tile::extents()),
      KOKKOS_LAMBDA(const int z, const int y, const int k) {
        spectrum(z, y, k) = solved(spectrum(z, y, k), of_x(k) + (of_y(y) + of_z(z)), scale);
      });
}

template <class T>
void scale_out(T* numbers, std::int64_t count, T by, const Stream& on) {
  const Kokkos::View<T*, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> out(
      numbers, static_cast<std::size_t>(count));
  Kokkos::parallel_for(
      "portcost::fft_poisson::usual",
      Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<std::int64_t>>(kokkos_space(on), 0, count),
      KOKKOS_LAMBDA(const std::int64_t i) { out(i) *= by; });
}

}  // namespace

Rungs kokkos_usual_rungs() {
  const auto own = [](const auto& s, double factor, const Stream& on) {
    invert<Own>(s, factor, on);
  };
  const auto good = [](const auto& s, double factor, const Stream& on) {
    invert<Good>(s, factor, on);
  };
  const auto separate = [](std::string_view dials, const auto& modes) {
    const auto behind = [](const auto&... all) { scale_out(all...); };
    return rung(works, "separate", fft::separate(modes, behind)).written(Way::usual, dials);
  };
  const auto fused = [](std::string_view dials, const auto& modes) {
    return rung(works, "fused", fft::fused(modes)).written(Way::usual, dials);
  };
  return fft::where_present(
      {separate("", own), fused("", own), separate(Good::dial, good), fused(Good::dial, good)});
}

}  // namespace portcost::fft_poisson
