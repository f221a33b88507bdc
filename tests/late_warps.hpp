// SPDX-License-Identifier: Apache-2.0
// message_passing's tickets on a device with warps that are late (late_words.hpp).
#pragma once

#include <cstdint>

#include "src/memory/stream.hpp"

namespace portcost::test {

/// A round of message_passing, for kernels that are built under another name.
struct LateRound {
  std::uint32_t *messages, *arrived, *sums;
  std::uint32_t groups, members, words, seed, round;
};

void late_cuda_ticket(const LateRound& round, const Stream& stream);
void late_kokkos_ticket(const LateRound& round, const Stream& stream);

}  // namespace portcost::test
