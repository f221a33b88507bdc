// SPDX-License-Identifier: Apache-2.0
// The words of messages. They differ in every round, so that a stale word shows in a sum.
#pragma once

#include <cstdint>

#include "src/support/host_device.hpp"

namespace portcost::message_passing {

/// Word `at` of all messages in round `round` (an integer hash; prospector, Wellons 2018).
PORTCOST_HOST_DEVICE constexpr std::uint32_t message_word(std::uint32_t seed, std::uint32_t round,
                                                          std::uint64_t at) {
  std::uint32_t x =
      static_cast<std::uint32_t>(at ^ (at >> 32)) * 0x9E3779B9u + (round + 1) * 0x85EBCA6Bu + seed;
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

}  // namespace portcost::message_passing
