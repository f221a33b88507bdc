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

}  // namespace portcost::divergence
