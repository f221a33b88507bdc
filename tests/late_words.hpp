// SPDX-License-Identifier: Apache-2.0
// Included before message_passing's kernels where a test builds them a second time for a GPU, under
// another name: in every other block, all warps but the first are late with their words. Where a
// ticket does not wait for them, it is taken long before the message is complete, and the block
// that takes the last one reads what is not there yet. Words and kernels are the same.
#pragma once

#define message_passing message_passing_late
#include "variants/message_passing/rule.hpp"

namespace portcost::message_passing {

// Some 20 microseconds: a ticket takes one or two.
PORTCOST_HOST_DEVICE inline void fall_behind() {
#ifdef __CUDA_ARCH__
  const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
  if (thread < 32 || blockIdx.x % 2 != 0) return;
  const long long begin = clock64();
  while (clock64() - begin < 40'000) continue;
#endif
}

PORTCOST_HOST_DEVICE constexpr std::uint32_t late_word(std::uint32_t seed, std::uint32_t round,
                                                       std::uint64_t at) {
  if (!__builtin_is_constant_evaluated()) fall_behind();
  return message_word(seed, round, at);
}

}  // namespace portcost::message_passing

// The kernels ask for their words by this name.
#define message_word(seed, round, at) late_word(seed, round, at)
