// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one explicit step of the heat equation T_t = alpha (T_xx + T_yy) on a
// five-point cross.
#pragma once

#include <cmath>

#include "src/support/host_device.hpp"

namespace portcost {

/// alpha dt / dx^2 and alpha dt / dy^2.
template <class T>
struct Coefficients {
  T x, y;
};

/// The node's temperature one time step later (Laeva and Trunov, CUDA lecture 3).
///
/// Bit for bit the same from every compiler: a product either stands inside a spelled-out fused
/// multiply-add or is by two, hence exact, so nothing is left for a compiler to contract one way
/// here and another way there.
template <class T>
PORTCOST_HOST_DEVICE inline T heat_step(Coefficients<T> c, T centre, T west, T east, T north,
                                        T south) {
  const T curvature_x = std::fma(T(-2), centre, west + east);
  const T curvature_y = std::fma(T(-2), centre, north + south);
  return std::fma(c.x, curvature_x, std::fma(c.y, curvature_y, centre));
}

}  // namespace portcost
