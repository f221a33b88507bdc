// SPDX-License-Identifier: Apache-2.0
// What a kernel does to a number.
#pragma once

#include <cstdint>

#include "src/support/host_device.hpp"

namespace portcost::launches {

/// The number after a kernel whose table has `word` for it: a linear congruential generator, so
/// that a kernel too few or too many shows.
PORTCOST_HOST_DEVICE constexpr std::uint32_t next(std::uint32_t number, std::uint32_t word) {
  return number * 1'664'525u + (word | 1);
}

}  // namespace portcost::launches
