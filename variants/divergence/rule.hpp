// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one branch: maps that stay in [-1.9, 1.9] and never settle, so that a number
// shows how often, and by which branch, it was mapped.
#pragma once

#include <cmath>

#include "src/support/host_device.hpp"

namespace portcost::divergence {

/// Multiply-adds in one stretch.
inline constexpr int stretch_length = 16;
inline constexpr float height = 1.9f;

/// A stretch of the branch that most lanes take: x -> x^2 - 1.9.
PORTCOST_HOST_DEVICE inline float then_stretch(float x) {
  for (int i = 0; i < stretch_length; ++i) x = std::fma(x, x, -height);
  return x;
}

/// A stretch of the other branch: x -> 1.9 - x^2. As long, and another instruction, so that no
/// compiler can make one branch of the two.
PORTCOST_HOST_DEVICE inline float else_stretch(float x) {
  for (int i = 0; i < stretch_length; ++i) x = std::fma(-x, x, height);
  return x;
}

/// So many stretches of one branch; Count is an index type of the caller's.
template <class Count>
PORTCOST_HOST_DEVICE float branched(bool other, Count stretches, float x) {
  if (other) {
    PORTCOST_NO_UNROLL
    for (Count k = 0; k < stretches; ++k) x = else_stretch(x);
  } else {
    PORTCOST_NO_UNROLL
    for (Count k = 0; k < stretches; ++k) x = then_stretch(x);
  }
  return x;
}

/// So many trips of `trip` stretches.
template <class Count>
PORTCOST_HOST_DEVICE float looped(Count trips, Count trip, float x) {
  PORTCOST_NO_UNROLL
  for (Count t = 0; t < trips; ++t) {
    PORTCOST_NO_UNROLL
    for (Count k = 0; k < trip; ++k) x = then_stretch(x);
  }
  return x;
}

/// The same, but `most` trips are made, and the number after the first `trips` is kept.
template <class Count>
PORTCOST_HOST_DEVICE float looped_uniformly(Count trips, Count most, Count trip, float x) {
  float result = x;
  PORTCOST_NO_UNROLL
  for (Count t = 0; t < most; ++t) {
    PORTCOST_NO_UNROLL
    for (Count k = 0; k < trip; ++k) x = then_stretch(x);
    result = t < trips ? x : result;
  }
  return result;
}

}  // namespace portcost::divergence
