// SPDX-License-Identifier: Apache-2.0
// What an index does with its number, in every way of writing: its own branch, and its own trips.
#pragma once

#include "variants/divergence/problem.hpp"
#include "variants/shared/kokkos_space.hpp"

namespace portcost::divergence {

struct Branch {
  KOKKOS_FUNCTION float operator()(const Work& s, unsigned lane, float x) const {
    if (lane < s.diverging) {
#pragma unroll 1
      for (unsigned k = 0; k < most_trips * s.trip; ++k) x = else_stretch(x);
    } else {
#pragma unroll 1
      for (unsigned k = 0; k < most_trips * s.trip; ++k) x = then_stretch(x);
    }
    return x;
  }
};

struct Loop {
  KOKKOS_FUNCTION float operator()(const Work& s, unsigned lane, float x) const {
    const unsigned trips = trips_of(lane);
#pragma unroll 1
    for (unsigned t = 0; t < trips; ++t) {
#pragma unroll 1
      for (unsigned k = 0; k < s.trip; ++k) x = then_stretch(x);
    }
    return x;
  }
};

// All lanes make all trips, and keep what theirs have left.
struct UniformLoop {
  KOKKOS_FUNCTION float operator()(const Work& s, unsigned lane, float x) const {
    const unsigned trips = trips_of(lane);
    float result = x;
#pragma unroll 1
    for (unsigned t = 0; t < most_trips; ++t) {
#pragma unroll 1
      for (unsigned k = 0; k < s.trip; ++k) x = then_stretch(x);
      result = t < trips ? x : result;
    }
    return result;
  }
};

/// A step: what is done with a number, and which numbers a row of slots has (position_of).
template <class Body, bool transposed>
struct Step {};

/// A table of all steps in order, from f(Step, name).
template <class F>
Rungs every_step(const F& f) {
  Rungs result;
  const auto add = [&](const Rungs& some) {
    result.insert(result.end(), some.begin(), some.end());
  };
  add(f(Step<Branch, true>(), "uniform"));
  add(f(Step<Branch, false>(), "if_else"));
  add(f(Step<Loop, false>(), "loop_678"));
  add(f(Step<UniformLoop, false>(), "loop_uniform"));
  return result;
}

}  // namespace portcost::divergence
