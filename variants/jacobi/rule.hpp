// SPDX-License-Identifier: Apache-2.0
// The arithmetic of Jacobi's iteration for T_xx + T_yy = r on a five-point cross.
#pragma once

#include <cmath>

#include "src/support/host_device.hpp"

namespace portcost::jacobi {

/// x = 1 / dx^2, y = 1 / dy^2, beta = 1 / (2 (x + y)).
template <class T>
struct Coefficients {
  T x, y, beta;
};

// Bit for bit the same from every compiler: each product is inside an explicit fused multiply-add
// or is a summand of one, so that a compiler has nothing to contract, not even where a node's next
// sweep follows in registers.

/// The right side's addend to a node's new value, the same in each sweep.
template <class T>
PORTCOST_HOST_DEVICE inline T source(Coefficients<T> c, T right_side) {
  return -(right_side * c.beta);
}

/// A node's new value: ((north + south) x + (west + east) y - r) beta. Where r is 0 and x and y are
/// powers of 2, it has the bits of this formula as written, without a fused operation.
template <class T>
PORTCOST_HOST_DEVICE inline T relaxed(Coefficients<T> c, T north, T south, T west, T east,
                                      T source) {
  return std::fma(std::fma(c.x, north + south, c.y * (west + east)), c.beta, source);
}

/// |T_xx + T_yy - r| at a node.
template <class T>
PORTCOST_HOST_DEVICE inline T residual(Coefficients<T> c, T centre, T north, T south, T west,
                                       T east, T right_side) {
  const T along_y = std::fma(c.y, west + east, -right_side);
  return std::fabs(std::fma(T(-2) * (c.x + c.y), centre, std::fma(c.x, north + south, along_y)));
}

}  // namespace portcost::jacobi
