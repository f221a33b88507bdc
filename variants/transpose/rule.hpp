// SPDX-License-Identifier: Apache-2.0
// A division that all models share: whole_matrices divides twice or three times an element.
#pragma once

#include <cstdint>

#include "src/support/host_device.hpp"

namespace portcost::transpose {

/// Division by a whole number from 1 to 4096 of one from 0 to 2^18, by a multiplication (Granlund
/// and Montgomery 1994).
class SmallDivisor {
 public:
  explicit constexpr SmallDivisor(int by)
      : multiplier_(((std::uint32_t{1} << 31) - 1) / static_cast<std::uint32_t>(by) + 1) {}
  PORTCOST_HOST_DEVICE constexpr int operator()(int of) const {
    // The upper half of a product of 32 bits each: one instruction on a GPU.
    const std::uint32_t twice = 2 * static_cast<std::uint32_t>(of);
    return static_cast<int>((std::uint64_t{twice} * multiplier_) >> 32);
  }

 private:
  std::uint32_t multiplier_;
};

}  // namespace portcost::transpose
