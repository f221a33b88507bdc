// SPDX-License-Identifier: Apache-2.0
// The steps with transforms as the tutorials teach Kokkos first: an MDRangePolicy over the modes, a
// RangePolicy over the numbers, and the same library between.
#pragma once

#include "variants/shared/fft.hpp"
#include "variants/shared/kokkos_usual.hpp"

namespace portcost::fft {

/// What follows the transforms of `separate`: each number times `by`.
template <class T>
void scale_out(T* numbers, std::int64_t count, T by, const Stream& on) {
  const Kokkos::View<T*, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> out(
      numbers, static_cast<std::size_t>(count));
  Kokkos::parallel_for(
      "portcost::fft::usual", RangeOf<std::int64_t>(kokkos_space(on), 0, count),
      KOKKOS_LAMBDA(const std::int64_t i) { out(i) *= by; });
}

/// The usual way by modes(tile, work, factor, stream), with tiles of Own and, with a dial, of Good.
template <class Own, class Good, class Of, class F>
Rungs usual_rungs(const Of& works, const F& modes) {
  const auto behind = [](const auto&... all) { scale_out(all...); };
  const auto own = [=](const auto&... all) { modes(Own(), all...); };
  const auto good = [=](const auto&... all) { modes(Good(), all...); };
  return where_present(
      {rung(works, "separate", separate(own, behind)).written(Way::usual),
       rung(works, "fused", fused(own)).written(Way::usual),
       rung(works, "separate", separate(good, behind)).written(Way::usual, Good::dial),
       rung(works, "fused", fused(good)).written(Way::usual, Good::dial)});
}

}  // namespace portcost::fft
