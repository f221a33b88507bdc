// SPDX-License-Identifier: Apache-2.0
// A division for all models: whole_matrices divides two or three times an element.
#pragma once

#include <cstdint>

#include "src/support/host_device.hpp"

namespace portcost::transpose {

/// Division of a number from 0 to 2^18 by a number from 1 to 4096, as a multiplication (Granlund
/// and Montgomery 1994).
class SmallDivisor {
 public:
  explicit constexpr SmallDivisor(int by)
      : multiplier_(((std::uint32_t{1} << 31) - 1) / static_cast<std::uint32_t>(by) + 1) {}
  PORTCOST_HOST_DEVICE constexpr int operator()(int of) const {
    // The upper half of a product of two 32-bit numbers: one instruction on a GPU.
    const std::uint32_t twice = 2 * static_cast<std::uint32_t>(of);
    return static_cast<int>((std::uint64_t{twice} * multiplier_) >> 32);
  }

 private:
  std::uint32_t multiplier_;
};

}  // namespace portcost::transpose
