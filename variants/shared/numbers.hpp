// SPDX-License-Identifier: Apache-2.0
// Functions for all algorithms.
#pragma once

#include <cstdint>

#include "src/support/host_device.hpp"

namespace portcost {

template <class A, class B>
PORTCOST_HOST_DEVICE constexpr auto ceil_div(A a, B b) {
  return a / b + (a % b != 0);
}

/// 64 random bits, a function of the seed and of i alone (splitmix64, Steele and others 2014).
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15u + i * 0xD1B54A32D192ED03u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Random bits as a number in [0, 1), with as many bits as T holds: float or double.
template <class T>
constexpr T in_unit(std::uint64_t bits) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 4) return static_cast<T>(bits >> 40) * T(0x1p-24);
  return static_cast<T>(bits >> 11) * T(0x1p-53);
}

}  // namespace portcost
