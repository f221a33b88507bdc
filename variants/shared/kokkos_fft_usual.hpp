// SPDX-License-Identifier: Apache-2.0
// The usual steps around transforms: an algorithm's MDRangePolicy over the modes, and a RangePolicy
// that scales the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "variants/shared/fft.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::fft::by_usual {

template <class T>
void scale(T* numbers, std::int64_t count, T by, const Stream& on) {
  const Kokkos::View<T*, KokkosSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> out(
      numbers, static_cast<std::size_t>(count));
  Kokkos::parallel_for(
      "portcost::fft::usual::scale",
      Kokkos::RangePolicy<KokkosSpace, Kokkos::IndexType<std::int64_t>>(kokkos_space(on), 0, count),
      KOKKOS_LAMBDA(const std::int64_t i) { out(i) *= by; });
}

/// `separate` and `fused` by modes(tile, s, factor, on), with Kokkos's own tile and with Good,
/// whose `dial` is its text.
template <class Own, class Good, class WorksOf, class Modes>
Rungs steps(const WorksOf& works, const Modes& modes) {
  const auto own = [=](const auto&... all) { modes(Own(), all...); };
  const auto good = [=](const auto&... all) { modes(Good(), all...); };
  const auto scaled = [](const auto&... all) { scale(all...); };
  const auto step = [&](std::string_view name, std::string_view dial, const auto& run) {
    return rung(works, name, run).written(Way::usual, dial);
  };
  return where_present({step("separate", "", separate(own, scaled)), step("fused", "", fused(own)),
                        step("separate", Good::dial, separate(good, scaled)),
                        step("fused", Good::dial, fused(good))});
}

}  // namespace portcost::fft::by_usual
