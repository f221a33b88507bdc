// SPDX-License-Identifier: Apache-2.0
// The arithmetic of central differences of eighth order: nine nodes in a row, h apart.
#pragma once

#include <cmath>

#include "src/support/host_device.hpp"

namespace portcost::derivatives {

/// Nodes to each side of a difference, and in all.
inline constexpr int reach = 4, nine = 2 * reach + 1;

/// The weight of the node itself, and of the two nodes 1 to 4 away.
template <class T>
struct Weights {
  T centre, at[reach];
};

/// d/dx = sum of at[k - 1] (f(x + k h) - f(x - k h)); the error is h^8 f^(9) / 630.
constexpr Weights<double> first_weights(double h) {
  return {0, {4 / (5 * h), -1 / (5 * h), 4 / (105 * h), -1 / (280 * h)}};
}
/// d2/dx2 = centre f(x) + sum of at[k - 1] (f(x + k h) + f(x - k h)); the error is h^8 f^(10) /
/// 3150.
constexpr Weights<double> second_weights(double h) {
  const double hh = h * h;
  return {-205 / (72 * hh), {8 / (5 * hh), -1 / (5 * hh), 8 / (315 * hh), -1 / (560 * hh)}};
}

/// The first difference at f[4], of f[0] to f[8].
///
/// Bit for bit the same from every compiler: each product but the first is part of a spelled-out
/// fused multiply-add, and the first is an argument of one, so nothing is left to contract.
template <class T>
PORTCOST_HOST_DEVICE inline T first_difference(const Weights<T>& w, const T* f) {
  T sum = w.at[3] * (f[8] - f[0]);
  sum = std::fma(w.at[2], f[7] - f[1], sum);
  sum = std::fma(w.at[1], f[6] - f[2], sum);
  return std::fma(w.at[0], f[5] - f[3], sum);
}

/// The second difference.
template <class T>
PORTCOST_HOST_DEVICE inline T second_difference(const Weights<T>& w, const T* f) {
  T sum = w.at[3] * (f[8] + f[0]);
  sum = std::fma(w.at[2], f[7] + f[1], sum);
  sum = std::fma(w.at[1], f[6] + f[2], sum);
  sum = std::fma(w.at[0], f[5] + f[3], sum);
  return std::fma(w.centre, f[4], sum);
}

}  // namespace portcost::derivatives
