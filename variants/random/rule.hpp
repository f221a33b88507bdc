// SPDX-License-Identifier: Apache-2.0
// Maps Philox calls to the numbers of an array: in every model number i has position i % of_call in
// the call of counter i / of_call.
#pragma once

#include <cmath>
#include <cstdint>

#include "src/support/host_device.hpp"
#include "variants/shared/philox.hpp"

namespace portcost::random {

/// The distribution of the numbers.
enum class Kind { uniform, normal };

/// Two independent normal numbers from u and v, uniform in [0, 1) (Box and Muller 1958). 1 - u is
/// exact, and all compilers round the angle alike; a library computes log, sqrt, cos and sin.
template <class T>
PORTCOST_HOST_DEVICE inline void box_muller(T u, T v, T (&z)[2]) {
  const T r = std::sqrt(T(-2) * std::log(T(1) - u)), angle = T(6.283185307179586476925) * v;
  z[0] = r * std::cos(angle);
  z[1] = r * std::sin(angle);
}
/// The largest difference of two libraries' normal numbers, in roundings of the larger number, 4 by
/// each library: log errs by 2 units in the last place (the root halves them), cos or sin by 2, and
/// root and product round.
inline constexpr int roundings = 8;

/// The numbers of type T that fill the array.
template <class T_, Kind kind_>
struct Rule {
  using T = T_;
  static constexpr Kind kind = kind_;
  static constexpr int of_call = numbers_of_a_call<T>;

  /// Stores all numbers of a call.
  PORTCOST_HOST_DEVICE static void call(const RandomWords& words, T* to) {
    if constexpr (kind == Kind::uniform) {
      for (int j = 0; j < of_call; ++j) to[j] = uniform<T>(words, j);
    } else {
      for (int j = 0; j < of_call; j += 2) {
        T z[2];
        box_muller(uniform<T>(words, j), uniform<T>(words, j + 1), z);
        to[j] = z[0];
        to[j + 1] = z[1];
      }
    }
  }
  /// Only number i of the array. (Registers have no index: the call makes all numbers.)
  PORTCOST_HOST_DEVICE static T number(std::uint64_t i, const PhiloxSeed& seed) {
    T all[of_call], chosen = 0;
    call(philox(i / of_call, seed), all);
    for (int j = 0; j < of_call; ++j) {
      if (static_cast<std::uint64_t>(j) == i % of_call) chosen = all[j];
    }
    return chosen;
  }
};

/// The numbers of `calls` consecutive calls.
template <class Rule, int calls>
struct alignas(16) Group {
  static constexpr int count = calls * Rule::of_call;
  typename Rule::T at[count];
};
template <class Rule, int calls>
PORTCOST_HOST_DEVICE inline Group<Rule, calls> group(std::uint64_t first_call,
                                                     const PhiloxSeed& seed) {
  Group<Rule, calls> result;
  if constexpr (calls == 1) {
    Rule::call(philox(first_call, seed), result.at);
  } else {
    const RandomLanes<calls> words = philox_lanes<calls>(first_call, seed);
    PORTCOST_LANES
    for (int l = 0; l < calls; ++l) Rule::call(words[l], result.at + l * Rule::of_call);
  }
  return result;
}

}  // namespace portcost::random
