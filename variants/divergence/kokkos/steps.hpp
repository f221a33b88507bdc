// SPDX-License-Identifier: Apache-2.0
// The table of steps in every way of writing.
#pragma once

#include "variants/divergence/bodies.hpp"

namespace portcost::divergence {

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
