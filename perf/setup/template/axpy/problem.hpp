// SPDX-License-Identifier: Apache-2.0
// axpy: out[i] = rule(a, x[i], y[i]) for n numbers. What all variants share. Plain C++.
#pragma once

#include <cmath>
#include <cstdint>

#include "src/contract/rung.hpp"
#include "src/support/host_device.hpp"
#include "variants/shared/numbers.hpp"

namespace portcost::axpy {

/// The arithmetic, written once: scalars in, a scalar out. A plain a * x + y would be rounded once
/// or twice, as each compiler likes, and answers are compared bit for bit.
template <class T>
PORTCOST_HOST_DEVICE inline T rule(T a, T x, T y) {
  return std::fma(a, x, y);
}
/// By how many roundings two answers may differ: 0 where all that rule() calls is rounded rightly
/// everywhere (+ - * / sqrt fma); some 4 for exp, hypot, ...
inline constexpr int roundings = 0;

/// What a variant's function is given: sizes, and pointers into the instance (algorithm.cpp).
template <class T>
struct Work {
  const T *x, *y;
  T* out;
  std::uint64_t n;
  T a;
};
inline constexpr Works<Work<float>, Work<double>> works;

/// Shapes are part of a step's definition: both sides of a pair read them here.
inline constexpr int warps = 8, threads = 32 * warps;

}  // namespace portcost::axpy
