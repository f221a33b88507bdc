// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one explicit step of the heat equation, as in heat2d.
#pragma once

#include <cmath>

#include "src/support/host_device.hpp"

namespace portcost::heat2d_steps {

/// alpha dt / dx^2 and alpha dt / dy^2.
template <class T>
struct Coefficients {
  T x, y;
};

/// The node's temperature one time step later (Laeva and Trunov, CUDA lecture 3). Each product is
/// by two or part of a fused multiply-add, so that every compiler gives the same bits.
template <class T>
PORTCOST_HOST_DEVICE inline T heat_step(Coefficients<T> c, T centre, T west, T east, T north,
                                        T south) {
  const T curvature_x = std::fma(T(-2), centre, west + east);
  const T curvature_y = std::fma(T(-2), centre, north + south);
  return std::fma(c.x, curvature_x, std::fma(c.y, curvature_y, centre));
}

}  // namespace portcost::heat2d_steps
