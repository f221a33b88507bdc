// SPDX-License-Identifier: Apache-2.0
// Maps Philox calls to hits: in every model pair p has position p % pairs_of_call in the call of
// counter p / pairs_of_call.
#pragma once

#include <cmath>
#include <cstdint>

#include "src/support/host_device.hpp"
#include "variants/shared/philox.hpp"

namespace portcost::monte_carlo {

/// Pairs that a call makes: two of f32, one of f64.
template <class T>
inline constexpr int pairs_of_call = numbers_of_a_call<T> / 2;

/// 1 if the point lies in the quarter circle of this radius. The fma is explicit, so that every
/// compiler rounds alike. The difference's sign is the comparison; on a GPU a comparison and a
/// selection would take three instructions of the unit that also mixes the bits.
template <class T>
PORTCOST_HOST_DEVICE inline unsigned is_hit(T x, T y, T radius = 1) {
  return static_cast<unsigned>(std::signbit(std::fma(x, x, y * y) - radius * radius));
}

/// The hits among the first `pairs` pairs of a call. Scaling by a power of two changes no
/// rounding, so the coordinates stay whole numbers.
template <class T>
PORTCOST_HOST_DEVICE inline unsigned hits_of(const RandomWords& words,
                                             int pairs = pairs_of_call<T>) {
  unsigned hits = 0;
  for (int p = 0; p < pairs_of_call<T>; ++p) {
    if (p >= pairs) continue;
    const T x = uniform_steps<T>(words, 2 * p), y = uniform_steps<T>(words, 2 * p + 1);
    hits += is_hit(x, y, 1 / uniform_step<T>);
  }
  return hits;
}

/// The hits of `calls` consecutive calls.
template <class T, int calls>
PORTCOST_HOST_DEVICE inline unsigned hits_of_group(std::uint64_t first_call,
                                                   const PhiloxSeed& seed) {
  if constexpr (calls <= 4) {  // one after the other, in few registers
    unsigned hits = 0;
    PORTCOST_UNROLL
    for (int k = 0; k < calls; ++k) {
      hits += hits_of<T>(philox(first_call + static_cast<std::uint64_t>(k), seed));
    }
    return hits;
  } else {
    const RandomLanes<calls> words = philox_lanes<calls>(first_call, seed);
    unsigned hits = 0;
    PORTCOST_LANES_ADDING(hits)
    for (int l = 0; l < calls; ++l) hits += hits_of<T>(words[l]);
    return hits;
  }
}

}  // namespace portcost::monte_carlo
