// SPDX-License-Identifier: Apache-2.0
// A step by which all of a row of places are visited, none beside the one before.
#pragma once

#include <cstdint>
#include <numeric>

namespace portcost {

/// The first number from 0.618 count on that has no factor in common with `count`: steps of it,
/// modulo `count`, come to every place once. 0 for count 1.
inline std::int64_t golden_step(std::int64_t count) {
  auto step = static_cast<std::int64_t>(0.6180339887 * static_cast<double>(count));
  while (std::gcd(step, count) != 1) ++step;  // count - 1 is the last
  return step;
}

}  // namespace portcost
