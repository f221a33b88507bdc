// SPDX-License-Identifier: Apache-2.0
#include "tests/late_words.hpp"
// The kernels under their other name.
#include "tests/compiled_apart.hpp"
#include "variants/message_passing/cuda.cu"

namespace portcost::test {

void late_cuda_ticket(const LateRound& r, const Stream& stream) {
  message_passing::device_ticket(
      {r.messages, r.arrived, r.sums, r.groups, r.members, r.words, r.seed, r.round}, stream);
}

}  // namespace portcost::test
